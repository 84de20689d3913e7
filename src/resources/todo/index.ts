import { type Extension, type ShippedParts, type StoredRecord, shipped } from '#resources/declaration.ts'
import { applyExtensions } from '#resources/machine/validity.ts'
import { todoDeclaration, todoTimes } from './declaration.ts'

const shippedParts: ShippedParts<StoredRecord<'todo', (typeof todoDeclaration)['fields']>> = {
  serviceWritten: todoTimes,
  bodylessPut: {
    id: 'finishTodo',
    summary: 'Finish a todo',
    description:
      'Finishes a todo. A body is ignored. Finishing a finished todo changes nothing and gives the same response, so the request can be repeated if the response was lost.',
    does: (todo) => ({ ...todo, finished: true }),
  },
  scopes: { read: 'READ', create: 'CREATE', update: 'UPDATE', delete: 'DELETE' },
  filterNames: { todoTitle: 'title' },
  searchColumns: { todoTitle: 'title_folded' },
  rederivingMigrations: ['002-title'],
  document: {
    operations: {
      'POST /todos': { description: 'Creates an open todo and returns its address in `Location`.' },
      'PATCH /todos/:todoId': {
        summary: 'Change a todo',
        description:
          'Renames, finishes or reopens a todo with a merge patch (RFC 7396). A patch that changes nothing makes no new version.',
      },
    },
  },
}

const declaration = { ...todoDeclaration, migrations: new URL('./migrations/', import.meta.url) }

export const todo = shipped(declaration, shippedParts)

/** The resource of todos with the fields of these extensions. */
export const todoWith = (extensions: readonly Extension[]) => {
  const known = [
    ...todo.declared.table.columns.map(({ field }) => field),
    ...Object.values(shippedParts.filterNames ?? {}),
  ]
  return shipped(applyExtensions(declaration, extensions, known).declaration, shippedParts)
}
