import { Command, Option } from 'commander'
import { jsonLine, print, table } from './output.ts'
import { each, onService, type Service, withService } from './service.ts'

interface Todo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
  readonly createdAt: string
}

interface Json {
  readonly json?: true
}

export const todoCommand = () =>
  new Command('todo')
    .description('Add, list, finish and remove todos.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(finish())
    .addCommand(remove())
    .addHelpText(
      'after',
      `
Examples:
  rollcall todo add "Buy milk"
  rollcall todo list --finished false --url http://127.0.0.1:8080`,
    )

const add = () => {
  const command = showing('add', 'Add a todo.', '"Buy milk"').argument('<title>', '1 to 30 characters')
  return command.action((todoTitle: string, { json }: Json) => {
    const addIt = async (service: Service) => {
      const todo = await service.ask<Todo>({ method: 'POST', path: '/todos', body: { todoTitle } })
      await show([todo], json)
    }
    return withService(command, addIt, 'adds')
  })
}

const list = () => {
  const command = showing('list', 'List todos, the oldest first.', '--finished false --json').addOption(
    new Option('--finished <flag>', 'only finished ones, or only open ones').choices(['true', 'false']),
  )
  return command.action(({ json, finished }: Json & { finished?: string }) => {
    const showThem = async (service: Service) => {
      const found: Todo[] = []
      for await (const batch of each<Todo>(service, '/todos', finished ? { finished } : {})) {
        if (json) for (const todo of batch) await print(jsonLine(todo))
        else found.push(...batch)
      }
      if (!json) await show(found, undefined)
    }
    return withService(command, showThem, 'looks')
  })
}

const finish = () => {
  const command = showing('finish', 'Finish a todo.', '01a1fdc8-…').argument('<todo-id>')
  return command.action((todoId: string, { json }: Json) =>
    withService(command, async (service) => {
      await show([await service.ask<Todo>({ method: 'PUT', path: pathOf(todoId) })], json)
    }),
  )
}

const remove = () => {
  const command = named('remove', 'Remove a todo.', '01a1fdc8-… --url http://127.0.0.1:8080').argument(
    '<todo-id>',
  )
  return command.action((todoId: string) =>
    withService(command, (service: Service) => service.ask<void>({ method: 'DELETE', path: pathOf(todoId) })),
  )
}

/** A command that shows what it found or made. */
const showing = (name: string, description: string, example: string) =>
  named(name, description, example).option('--json', 'as JSON, one todo a line')

const named = (name: string, description: string, example: string) =>
  onService(new Command(name).description(description)).addHelpText(
    'after',
    `\nExample:\n  rollcall todo ${name} ${example}`,
  )

const pathOf = (todoId: string) => `/todos/${encodeURIComponent(todoId)}`

const show = async (todos: readonly Todo[], json: true | undefined) => {
  if (json) for (const todo of todos) await print(jsonLine(todo))
  else await print(table(['', 'id', 'created', 'title'], todos.map(row)))
}

const row = ({ finished, todoId, createdAt, todoTitle }: Todo) => [
  finished ? '✓' : '·',
  todoId,
  createdAt.slice(0, 16).replace('T', ' '),
  todoTitle,
]
