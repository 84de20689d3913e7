import type { Fields } from '#core/schema.ts'
import { todoDeclaration } from '#resources/todo/declaration.ts'
import { resourceCommand } from '#src/cli/records.ts'

const finished = 'true for finished todos only, false for open todos only'
const title = 'only todos whose title contains this text; case, width and accents do not matter'

export const todoCommand = (further: Fields) =>
  resourceCommand(
    {
      name: 'todo',
      plural: 'todos',
      fields: { ...todoDeclaration.fields, ...further },
      overrides: { todoTitle: { flag: '<title>' } },
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
      examples: {
        list: '--finished false --json',
        change: '01a1fdc8-… --finished true',
        rename: '01a1fdc8-… "Buy oat milk"',
      },
    },
    ({ action }) => [
      action('finish', 'Finish a todo.', ({ todos }, id) => todos.finish(id)),
      action('reopen', 'Reopen a finished todo.', ({ todos }, id) => todos.patch(id, { finished: false })),
      action('rename', 'Rename a todo.', ({ todos }, id, todoTitle = '') =>
        todos.patch(id, { todoTitle }),
      ).argument('<title>', '1 to 30 characters'),
    ],
  )
