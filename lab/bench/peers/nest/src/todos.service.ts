import { Injectable, NotFoundException } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { Repository } from 'typeorm'
import { CreateTodoDto } from './create-todo.dto.js'
import { Todo } from './todo.entity.js'

@Injectable()
export class TodosService {
  constructor(@InjectRepository(Todo) private readonly todos: Repository<Todo>) {}

  findAll(): Promise<Todo[]> {
    return this.todos.find({ order: { createdAt: 'ASC' } })
  }

  async findOne(todoId: string): Promise<Todo> {
    const todo = await this.todos.findOneBy({ todoId })
    if (!todo) throw new NotFoundException()
    return todo
  }

  create(newTodo: CreateTodoDto): Promise<Todo> {
    return this.todos.save(this.todos.create({ ...newTodo, finished: false }))
  }

  async finish(todoId: string): Promise<Todo> {
    const todo = await this.findOne(todoId)
    todo.finished = true
    return this.todos.save(todo)
  }

  async remove(todoId: string): Promise<void> {
    const { affected } = await this.todos.delete(todoId)
    if (affected === 0) throw new NotFoundException()
  }
}
