import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common'
import { CreateTodoDto } from './create-todo.dto.js'
import { TodosService } from './todos.service.js'

@Controller('api/v1/todos')
export class TodosController {
  constructor(private readonly todos: TodosService) {}

  @Get()
  findAll() {
    return this.todos.findAll()
  }

  @Post()
  create(@Body() newTodo: CreateTodoDto) {
    return this.todos.create(newTodo)
  }

  @Get(':id')
  findOne(@Param('id') id: string) {
    return this.todos.findOne(id)
  }

  @Put(':id')
  finish(@Param('id') id: string) {
    return this.todos.finish(id)
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string) {
    return this.todos.remove(id)
  }
}
