"""Train a small network on the states of `python -m runner dataset`, and write it as a model in the format ONNX."""

from itertools import pairwise

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

LAYERS = (128, 32)


def one_hot(values, counts):
    """Return 1 for the value that each variable has, 0 for each other one, as `states.one_hot` and `states.facts`."""
    first = np.cumsum([0, *counts])
    inputs = np.zeros((len(values), first[-1]), np.float32)
    np.put_along_axis(inputs, values + first[:-1], 1, axis=1)
    return inputs


def train(file, instance, model, name="one_hot", epochs=4):
    """Fit a network to h_star of the states in a file, and write it with an input of this name."""
    data, generator = np.load(file, allow_pickle=False), np.random.default_rng(0)
    is_known = np.isfinite(data["h_star"])
    counts = instance.world.value_counts
    values, costs = data["values"][is_known, : len(counts)], data["h_star"][is_known].astype(np.float32)
    sizes = (sum(counts), *LAYERS, 1)
    weights = [
        array
        for rows, columns in pairwise(sizes)
        for array in (
            generator.normal(0, (2 / rows) ** 0.5, (rows, columns)).astype(np.float32),
            np.zeros(columns, np.float32),
        )
    ]
    weights[-1] += costs.mean()
    moments = [[np.zeros_like(each), np.zeros_like(each)] for each in weights]
    steps = 0
    for epoch in range(epochs):
        for batch in np.array_split(generator.permutation(len(costs)), max(1, len(costs) // 512)):
            steps += 1
            rate = 5e-3 * (1 - epoch / epochs)
            gradients = gradients_of(weights, one_hot(values[batch], counts), costs[batch])
            for weight, (mean, square), gradient in zip(weights, moments, gradients):  # Adam
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient**2 - square)
                weight -= rate * mean / (1 - 0.9**steps) / (np.sqrt(square / (1 - 0.999**steps)) + 1e-8)
    errors = abs(layers_of(weights, one_hot(values, counts))[-1][:, 0] - costs)
    print(f"{len(costs):,} states, mean error {errors.mean():.2f}")
    write(model, weights, name)


def layers_of(weights, inputs):
    """Return the inputs and the outputs of all layers, without negative values."""
    layers = [inputs]
    for weight, bias in zip(weights[::2], weights[1::2]):
        layers.append(np.maximum(layers[-1] @ weight + bias, 0))
    return layers


def gradients_of(weights, inputs, costs):
    """Return the gradients of the mean squared error."""
    layers = layers_of(weights, inputs)
    change = 2 * (layers[-1] - costs[:, np.newaxis]) / len(costs)
    found = []
    for number in reversed(range(len(layers) - 1)):
        change = change * (layers[number + 1] > 0)
        found = [layers[number].T @ change, change.sum(axis=0), *found]
        change = change @ weights[2 * number].T
    return found


def write(model, weights, name):
    """Write the network: an input of the shape (states, numbers), an output of the shape (states, 1)."""
    nodes, last = [], name
    for number in range(len(weights) // 2):
        following = [f"sum{number}", f"layer{number}"]
        nodes += [
            helper.make_node("Gemm", [last, f"weight{number}", f"bias{number}"], following[:1]),
            helper.make_node("Relu", following[:1], following[1:]),
        ]
        last = following[1]
    tensors = [
        numpy_helper.from_array(each, f"{'bias' if number % 2 else 'weight'}{number // 2}")
        for number, each in enumerate(weights)
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["states", len(weights[0])])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["states", 1])],
        tensors,
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
