import type { Routes } from '#http/api/routes.ts'
import { NewNote, Note } from './schema.ts'
import type { NoteService } from './service.ts'
import { noteSortable } from './store.ts'

const shows = { full: Note }

export const noteRoutes = (http: Routes, notes: NoteService) => {
  http.list(
    '/notes',
    {
      operation: 'notes:read',
      summary: 'List notes',
      shows,
      filter: {},
      sortable: noteSortable,
      names: 'noteId',
    },
    notes,
  )
  http.post(
    '/notes',
    { operation: 'notes:create', summary: 'Write a note', shows, body: NewNote, names: 'noteId' },
    ({ body }) => notes.create(body),
  )
  http.get('/notes/:noteId', { operation: 'notes:read', summary: 'Get a note', shows }, ({ params }) =>
    notes.find(params.noteId),
  )
}
