module golden/durations

go 1.24
