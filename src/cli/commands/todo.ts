import { Command } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Fields } from '#core/schema.ts'
import { todoDeclaration } from '#resources/todo/declaration.ts'
import { type Item, recordCommands } from '#src/cli/records.ts'
import { doing, type Json, type Service } from '#src/cli/service.ts'

const given = { todoTitle: { flag: '<title>' } }

const finished = 'true for finished todos only, false for open todos only'
const title = 'only todos whose title contains this text; case, width and accents do not matter'

export const todoCommand = (further: Fields) => {
  const { add, list, show, change, remove, restore, showing, idOf, tell, flagLabels } = recordCommands({
    name: 'todo',
    plural: 'todos',
    fields: { ...todoDeclaration.fields, ...further },
    given,
    filters: {
      finished: { description: finished, schema: { type: 'boolean' } },
      title: { description: title },
    },
    columns: ['', 'id', 'created', 'title'],
    row: ({ finished, todoId, createdAt, todoTitle }) => [
      finished ? '✓' : '·',
      String(todoId),
      String(createdAt).slice(0, 16).replace('T', ' '),
      String(todoTitle),
    ],
  })
  /** A change of a todo that has a word of its own. */
  const changing = (
    command: Command,
    made: (service: Service, ...words: string[]) => Promise<Answer<object>>,
  ) =>
    doing(command, async (service, ...all: unknown[]) => {
      const words = all.filter((one): one is string => typeof one === 'string')
      const { json } = all[words.length] as Json
      await tell(service.value(await made(service, ...words), flagLabels) as Item, json)
    })
  return new Command('todo')
    .description('Add, list, change, remove and restore todos.')
    .addCommand(add('Add a todo.', '"Buy milk"'))
    .addCommand(list('List todos, oldest first.', '--finished false --json'))
    .addCommand(show('Show a todo in full.'))
    .addCommand(change('Change fields of a todo.', '01a1fdc8-… --finished true'))
    .addCommand(
      changing(showing('finish', 'Finish a todo.', '01a1fdc8-…').argument(...idOf), ({ todos }, id = '') =>
        todos.finish(id),
      ),
    )
    .addCommand(
      changing(
        showing('reopen', 'Reopen a finished todo.', '01a1fdc8-…').argument(...idOf),
        ({ todos }, id = '') => todos.patch(id, { finished: false }),
      ),
    )
    .addCommand(
      changing(
        showing('rename', 'Rename a todo.', '01a1fdc8-… "Buy oat milk"')
          .argument(...idOf)
          .argument('<title>', '1 to 30 characters'),
        ({ todos }, id = '', todoTitle = '') => todos.patch(id, { todoTitle }),
      ),
    )
    .addCommand(remove('Remove a todo.', '01a1fdc8-… --url http://127.0.0.1:8080'))
    .addCommand(restore())
    .addHelpText(
      'after',
      `
Examples:
  rollcall todo add "Buy milk"
  rollcall todo list --finished false --url http://127.0.0.1:8080`,
    )
}
