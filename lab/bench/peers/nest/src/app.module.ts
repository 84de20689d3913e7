import { Module } from '@nestjs/common'
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm'
import { Todo } from './todo.entity.js'
import { TodosController } from './todos.controller.js'
import { TodosService } from './todos.service.js'

const database = process.env.DATABASE ?? ''

const sqlite: TypeOrmModuleOptions = {
  type: 'better-sqlite3',
  database,
  enableWAL: true,
  prepareDatabase: (db: { pragma(text: string): void }) => db.pragma('synchronous = FULL'),
}
const postgres: TypeOrmModuleOptions = { type: 'postgres', url: database, poolSize: 10 }

@Module({
  imports: [
    TypeOrmModule.forRoot({
      ...(database.startsWith('postgres') ? postgres : sqlite),
      entities: [Todo],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([Todo]),
  ],
  controllers: [TodosController],
  providers: [TodosService],
})
export class AppModule {}
