import { Command, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Todo } from '#client/types.ts'
import { jsonLine, print, printLines } from '#src/cli/output.ts'
import { itemCommands, type Json, type Listing, type Service, upTo, withService } from '#src/cli/service.ts'
import { printTable, table } from '#src/cli/table.ts'

const { named, showing, listing } = itemCommands('todo')

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
  return command.action((todoTitle: string, { json }: Json) =>
    withService(
      command,
      async (service) => show(service, await service.todos.create({ todoTitle }), json),
      'adds',
    ),
  )
}

const list = () => {
  const words = 'true for finished todos only, false for open todos only'
  const finishedOption = new Option('--finished <flag>', words).choices(['true', 'false'])
  const command = listing('List todos, oldest first.', '--finished false --json')
    .addOption(finishedOption)
    .option(
      '--title <text>',
      'only todos whose title contains this text; case, width and accents do not matter',
    )
  return command.action(
    ({ json, limit, finished, title }: Listing & { finished?: string; title?: string }) => {
      const showTodos = async ({ todos }: Service) => {
        const batches = upTo(limit, (size) =>
          todos.pages({ ...(finished && { finished: finished === 'true' }), title, size }),
        )
        if (json) await printLines(batches)
        else await printTable(columns, batches, row)
      }
      return withService(command, showTodos, 'reads')
    },
  )
}

const finish = () => {
  const command = showing('finish', 'Finish a todo.', '01a1fdc8-…').argument('<todo-id>', idForm)
  return command.action((id: string, { json }: Json) =>
    withService(command, async (service) => show(service, await service.todos.finish(id), json)),
  )
}

const reopen = () => {
  const command = showing('reopen', 'Reopen a finished todo.', '01a1fdc8-…').argument('<todo-id>', idForm)
  return command.action((id: string, { json }: Json) =>
    withService(command, async (service) =>
      show(service, await service.todos.patch(id, { finished: false }), json),
    ),
  )
}

const rename = () => {
  const command = showing('rename', 'Rename a todo.', '01a1fdc8-… "Buy oat milk"')
    .argument('<todo-id>', idForm)
    .argument('<title>', titleForm)
  return command.action((id: string, todoTitle: string, { json }: Json) =>
    withService(command, async (service) =>
      show(service, await service.todos.patch(id, { todoTitle }), json),
    ),
  )
}

const remove = () => {
  const example = '01a1fdc8-… --url http://127.0.0.1:8080'
  const command = named('remove', 'Remove a todo.', example).argument('<todo-id>', idForm)
  return command.action((id: string) =>
    withService(command, async ({ todos, value }) => value(await todos.remove(id))),
  )
}

const show = async ({ value }: Service, answer: Answer<Todo>, json: true | undefined) => {
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
