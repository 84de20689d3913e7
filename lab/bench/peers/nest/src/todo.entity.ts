import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm'

@Entity()
export class Todo {
  @PrimaryGeneratedColumn('uuid')
  todoId: string

  @Column()
  todoTitle: string

  @Column({ default: false })
  finished: boolean

  @CreateDateColumn()
  createdAt: Date
}
