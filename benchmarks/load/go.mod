module landform.example/load

go 1.22
