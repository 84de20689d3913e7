import { Command, Option } from 'commander'
import { each, itemCommands, type Json, type Listing } from '#src/cli/items.ts'
import { jsonLine, print, printLines } from '#src/cli/output.ts'
import type { ApiRequest } from '#src/cli/remote.ts'
import { type Service, withService } from '#src/cli/service.ts'
import { printTable, table } from '#src/cli/table.ts'

interface Todo {
  readonly todoId: string
  readonly todoTitle: string
  readonly finished: boolean
  readonly createdAt: string
}

const { named, showing, listing, pathOf } = itemCommands('todo')

const idForm = 'the id, as `todo list` shows it'
const titleForm = '1 to 30 characters'

/** How a refusal names a field. */
const flags = { todoTitle: `<title> (${titleForm})` }

export const todoCommand = () =>
  new Command('todo')
    .description('Add, list, finish, reopen, rename and remove todos.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(finish())
    .addCommand(reopen())
    .addCommand(rename())
    .addCommand(remove())
    .addHelpText(
      'after',
      `
Examples:
  rollcall todo add "Buy milk"
  rollcall todo list --finished false --url http://127.0.0.1:8080`,
    )

const add = () => {
  const command = showing('add', 'Add a todo.', '"Buy milk"').argument('<title>', titleForm)
  return command.action((todoTitle: string, { json }: Json) => {
    const addTodo = async (service: Service) => {
      const todo = await service.ask<Todo>({ method: 'POST', path: '/todos', body: { todoTitle } }, flags)
      await show(todo, json)
    }
    return withService(command, addTodo, 'adds')
  })
}

const list = () => {
  const command = listing('List todos, oldest first.', '--finished false --json').addOption(
    new Option('--finished <flag>', 'true for finished todos only, false for open todos only').choices([
      'true',
      'false',
    ]),
  )
  return command.action(({ json, limit, finished }: Listing & { finished?: string }) => {
    const showTodos = async (service: Service) => {
      const batches = each<Todo>(service, '/todos', { query: finished ? { finished } : {}, limit })
      if (json) await printLines(batches)
      else await printTable(columns, batches, row)
    }
    return withService(command, showTodos, 'reads')
  })
}

const finish = () => {
  const command = showing('finish', 'Finish a todo.', '01a1fdc8-…').argument('<todo-id>', idForm)
  return command.action((todoId: string, { json }: Json) =>
    change(command, { method: 'PUT', path: pathOf(todoId) }, json),
  )
}

const reopen = () => {
  const command = showing('reopen', 'Reopen a finished todo.', '01a1fdc8-…').argument('<todo-id>', idForm)
  return command.action((todoId: string, { json }: Json) =>
    change(command, { method: 'PATCH', path: pathOf(todoId), body: { finished: false } }, json),
  )
}

const rename = () => {
  const command = showing('rename', 'Rename a todo.', '01a1fdc8-… "Buy oat milk"')
    .argument('<todo-id>', idForm)
    .argument('<title>', titleForm)
  return command.action((todoId: string, todoTitle: string, { json }: Json) =>
    change(command, { method: 'PATCH', path: pathOf(todoId), body: { todoTitle } }, json),
  )
}

const change = (command: Command, request: ApiRequest, json: true | undefined) =>
  withService(command, async (service) => show(await service.ask<Todo>(request, flags), json))

const remove = () => {
  const command = named('remove', 'Remove a todo.', '01a1fdc8-… --url http://127.0.0.1:8080').argument(
    '<todo-id>',
    idForm,
  )
  return command.action((todoId: string) =>
    withService(command, (service: Service) => service.ask<void>({ method: 'DELETE', path: pathOf(todoId) })),
  )
}

const show = (todo: Todo, json: true | undefined) =>
  print(json ? jsonLine(todo) : table(columns, [row(todo)]))

const columns = ['', 'id', 'created', 'title']

const row = ({ finished, todoId, createdAt, todoTitle }: Todo) => [
  finished ? '✓' : '·',
  todoId,
  createdAt.slice(0, 16).replace('T', ' '),
  todoTitle,
]
