import { Command, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Todo } from '#client/types.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { doing, itemCommands, type Json, type Service } from '#src/cli/service.ts'
import { table } from '#src/cli/table.ts'

const { named, showing, listing, idOf } = itemCommands('todo')

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

const add = () =>
  doing(
    showing('add', 'Add a todo.', '"Buy milk"').argument('<title>', titleForm),
    async (service, todoTitle: string, given: Json) =>
      show(service, await service.todos.create({ todoTitle }), given),
    'adds',
  )

const list = () => {
  const words = 'true for finished todos only, false for open todos only'
  return listing<Todo>('List todos, oldest first.', '--finished false --json', {
    columns,
    row,
    pages: ({ todos }, size, { finished, title }) =>
      todos.pages({ ...(finished && { finished: finished === 'true' }), title, size }),
  })
    .addOption(new Option('--finished <flag>', words).choices(['true', 'false']))
    .option(
      '--title <text>',
      'only todos whose title contains this text; case, width and accents do not matter',
    )
}

const finish = () =>
  doing(
    showing('finish', 'Finish a todo.', '01a1fdc8-…').argument(...idOf),
    async (service, id: string, given: Json) => show(service, await service.todos.finish(id), given),
  )

const reopen = () =>
  doing(
    showing('reopen', 'Reopen a finished todo.', '01a1fdc8-…').argument(...idOf),
    async (service, id: string, given: Json) =>
      show(service, await service.todos.patch(id, { finished: false }), given),
  )

const rename = () =>
  doing(
    showing('rename', 'Rename a todo.', '01a1fdc8-… "Buy oat milk"')
      .argument(...idOf)
      .argument('<title>', titleForm),
    async (service, id: string, todoTitle: string, given: Json) =>
      show(service, await service.todos.patch(id, { todoTitle }), given),
  )

const remove = () =>
  doing(
    named('remove', 'Remove a todo.', '01a1fdc8-… --url http://127.0.0.1:8080').argument(...idOf),
    async ({ todos, value }, id: string) => value(await todos.remove(id)),
  )

const show = async ({ value }: Service, answer: Answer<Todo>, { json }: Json) => {
  const todo = value(answer, flags)
  await print(json ? jsonLine(todo) : table(columns, [row(todo)]))
}

const columns = ['', 'id', 'created', 'title']

const row = ({ finished, todoId, createdAt, todoTitle }: Todo) => [
  finished ? '✓' : '·',
  todoId,
  createdAt.slice(0, 16).replace('T', ' '),
  todoTitle,
]
