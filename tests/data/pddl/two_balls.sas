begin_version
3
end_version
begin_metric
0
end_metric
5
begin_variable
var0
-1
2
Atom robot-in(hall)
Atom robot-in(kitchen)
end_variable
begin_variable
var1
-1
2
Atom empty(left)
NegatedAtom empty(left)
end_variable
begin_variable
var2
-1
2
Atom empty(right)
NegatedAtom empty(right)
end_variable
begin_variable
var3
-1
4
Atom ball-in(blue, hall)
Atom ball-in(blue, kitchen)
Atom holds(left, blue)
Atom holds(right, blue)
end_variable
begin_variable
var4
-1
4
Atom ball-in(red, hall)
Atom ball-in(red, kitchen)
Atom holds(left, red)
Atom holds(right, red)
end_variable
2
begin_mutex_group
3
3 2
4 2
1 0
end_mutex_group
begin_mutex_group
3
3 3
4 3
2 0
end_mutex_group
begin_state
1
0
0
1
1
end_state
begin_goal
2
3 0
4 0
end_goal
18
begin_operator
put blue hall left
1
0 0
2
0 3 2 0
0 1 -1 0
1
end_operator
begin_operator
put blue hall right
1
0 0
2
0 3 3 0
0 2 -1 0
1
end_operator
begin_operator
put blue kitchen left
1
0 1
2
0 3 2 1
0 1 -1 0
1
end_operator
begin_operator
put blue kitchen right
1
0 1
2
0 3 3 1
0 2 -1 0
1
end_operator
begin_operator
put red hall left
1
0 0
2
0 4 2 0
0 1 -1 0
1
end_operator
begin_operator
put red hall right
1
0 0
2
0 4 3 0
0 2 -1 0
1
end_operator
begin_operator
put red kitchen left
1
0 1
2
0 4 2 1
0 1 -1 0
1
end_operator
begin_operator
put red kitchen right
1
0 1
2
0 4 3 1
0 2 -1 0
1
end_operator
begin_operator
take blue hall left
1
0 0
2
0 3 0 2
0 1 0 1
1
end_operator
begin_operator
take blue hall right
1
0 0
2
0 3 0 3
0 2 0 1
1
end_operator
begin_operator
take blue kitchen left
1
0 1
2
0 3 1 2
0 1 0 1
1
end_operator
begin_operator
take blue kitchen right
1
0 1
2
0 3 1 3
0 2 0 1
1
end_operator
begin_operator
take red hall left
1
0 0
2
0 4 0 2
0 1 0 1
1
end_operator
begin_operator
take red hall right
1
0 0
2
0 4 0 3
0 2 0 1
1
end_operator
begin_operator
take red kitchen left
1
0 1
2
0 4 1 2
0 1 0 1
1
end_operator
begin_operator
take red kitchen right
1
0 1
2
0 4 1 3
0 2 0 1
1
end_operator
begin_operator
walk hall kitchen
0
1
0 0 0 1
1
end_operator
begin_operator
walk kitchen hall
0
1
0 0 1 0
1
end_operator
0
