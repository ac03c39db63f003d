package main

import "example.com/controller-course/tests/kit/repo"

func fromHere(path string) string { return repo.Short(path) }
