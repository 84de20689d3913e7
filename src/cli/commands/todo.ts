import { todoDeclaration } from '#resources/todo/declaration.ts'
import { type ResourceSpec, resourceCommand } from '#src/cli/records.ts'

const finishedHelp = 'true for finished todos only, false for open todos only'
const titleHelp = 'only todos whose title contains this text; case, width and accents do not matter'

export const todoCommand = (added: Pick<ResourceSpec, 'fields' | 'filters'>) =>
  resourceCommand(
    {
      name: 'todo',
      plural: 'todos',
      fields: { ...todoDeclaration.fields, ...added.fields },
      overrides: { todoTitle: { flag: '<title>' } },
      filters: {
        finished: { description: finishedHelp, schema: { type: 'boolean' } },
        title: { description: titleHelp },
        ...added.filters,
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
    ({ itemCommand }) => [
      itemCommand('finish', 'Finish a todo.', ({ todos }, id) => todos.finish(id)),
      itemCommand('reopen', 'Reopen a finished todo.', ({ todos }, id) =>
        todos.patch(id, { finished: false }),
      ),
      itemCommand('rename', 'Rename a todo.', ({ todos }, id, todoTitle = '') =>
        todos.patch(id, { todoTitle }),
      ).argument('<title>', '1 to 30 characters'),
    ],
  )
