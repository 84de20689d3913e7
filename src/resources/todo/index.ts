import { type RecordOf, shipped } from '#resources/declaration.ts'
import type { Transaction } from '#sql/database.ts'
import { deriveAgain } from '#sql/derive.ts'
import { todoDeclaration, todoTimes } from './declaration.ts'

export const todo = shipped(
  { ...todoDeclaration, migrations: new URL('./migrations/', import.meta.url) },
  {
    times: todoTimes,
    put: {
      id: 'finishTodo',
      summary: 'Finish a todo',
      about:
        'Finishes a todo. A body is ignored. Finishing it again changes nothing and gives the same response, so the request may be repeated if the response was lost.',
      does: (todo) => ({ ...todo, finished: true }),
    },
    scopes: { read: 'READ', create: 'CREATE', update: 'UPDATE', delete: 'DELETE' },
    filters: { todoTitle: 'title' },
    foundBy: { todoTitle: 'title_folded' },
    finishes: (table) => ({
      '002-title': (tx: Transaction) => deriveAgain(tx, table, async () => undefined),
    }),
    texts: {
      'POST /todos': 'Creates an open todo and returns its address in `Location`.',
      'PATCH /todos/:todoId':
        'Renames, finishes or reopens a todo with a merge patch (RFC 7396). One that leaves the todo as it is makes no new version.',
    },
  },
)

export type Todo = RecordOf<typeof todo>
