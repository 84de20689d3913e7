import { encodings } from '#core/foreign-files.ts'
import { locales } from '#core/locale.ts'
import { choiceParameter, flagParameter, textParameter } from '#http/api/query.ts'
import type { Routes } from '#http/api/routes.ts'
import { maxFileBytes } from './files/refused.ts'
import { importCodes, importIs } from './messages.ts'
import type { passwordList } from './passwords.ts'
import { refuseUnlessSender } from './rights.ts'
import {
  Correction,
  existing,
  Import,
  ImportChange,
  ImportPassword,
  ImportRow,
  Imports,
  outcomes,
  Replacement,
} from './schema.ts'
import type { Imported, ImportService } from './service.ts'
import type { fileStorage } from './storing.ts'

const shows = { full: Import }
const showsRow = { full: ImportRow }
const item = '/imports/:importId'
const row = `${item}/rows/:line` as const
const notInBatch = true
const reading = { operation: 'imports:read' } as const
const changing = { operation: 'imports:change', refuses: [importCodes.importState] } as const

const uploadParameters = {
  name: textParameter('What the file is called.', 256),
  sheet: textParameter('The sheet of a workbook; by default the first.', 128),
  encoding: choiceParameter('The encoding of a text; by default it is found.', encodings),
  locale: choiceParameter('The language of the faults.', locales),
  existing: choiceParameter('What happens to records that exist; by default they are updated.', existing),
  apply: flagParameter('Whether to apply it as soon as its rows are judged, if nothing is open.'),
}

export const importRoutes = (
  http: Routes,
  imports: ImportService & {
    readonly storeFile: ReturnType<typeof fileStorage>
    readonly passwords: ReturnType<typeof passwordList> | undefined
  },
  imported: readonly Imported[],
) => {
  for (const { name, plural } of imported)
    http.upload(
      `/${plural}/imports`,
      {
        ...{
          operation: `${plural}:import`,
          summary: `Import ${plural}`,
          shows,
          names: 'importId',
          within: '/imports',
        },
        upload: {
          limitBytes: maxFileBytes,
          parameters: uploadParameters,
          keep: (pieces) => imports.storeFile(name, pieces),
        },
      },
      ({ body, prepared, ...asked }) => imports.begin(prepared, body, asked),
    )
  http.get('/imports', { ...reading, summary: 'List imports', shows: { full: Imports } }, ({ principal }) =>
    imports.all(principal),
  )
  http.get(item, { ...reading, summary: 'Get an import', shows }, ({ params, principal }) =>
    imports.find(params.importId, principal),
  )
  http.patch(
    item,
    { ...changing, notInBatch, summary: 'Change how an import is read', shows, body: ImportChange },
    ({ params, body, ...asked }) => imports.change(params.importId, body, asked),
  )
  http.delete(item, { ...changing, notInBatch, summary: 'Forget an import' }, ({ params, ...asked }) =>
    imports.remove(params.importId, asked),
  )
  http.list(
    `${item}/rows`,
    {
      ...{
        ...reading,
        summary: 'List the rows of an import',
        shows: showsRow,
        sortable: ['line'],
        names: 'line',
      },
      filter: { outcome: choiceParameter('Only rows with this outcome.', [...outcomes, 'applied']) },
      requires: ({ params, principal }) => imports.permitted(params.importId ?? '', principal),
    },
    imports.rows,
  )
  if (imports.passwords)
    http.list(
      `${item}/passwords`,
      {
        ...{ ...reading, summary: 'List the generated passwords of an import', showsSecret: true },
        ...{ refuses: [importCodes.importState], shows: { full: ImportPassword } },
        ...{ sortable: ['line'], names: 'line', filter: {} },
        async requires({ params, principal }) {
          const { state, by } = await imports.permitted(params.importId ?? '', principal)
          refuseUnlessSender(by, principal)
          if (state === 'applying' || state === 'undoing') throw importIs(state)
        },
      },
      imports.passwords,
    )
  http.get(row, { ...reading, summary: 'Get a row of an import', shows: showsRow }, ({ params, principal }) =>
    imports.row(params.importId, params.line, principal),
  )
  http.patch(
    row,
    { ...changing, notInBatch, summary: 'Correct a row of an import', shows: showsRow, body: Correction },
    ({ params, body, ...asked }) => imports.correct(params.importId, params.line, body, asked),
  )
  http.patch(
    `${item}/rows`,
    {
      ...changing,
      notInBatch,
      summary: 'Correct all rows that are alike',
      shows,
      body: Replacement,
      changes: item,
    },
    ({ params, body, ...asked }) => imports.replaceAll(params.importId, body, asked),
  )
  const actions = { apply: 'Apply an import', stop: 'Stop an import', undo: 'Undo an import' } as const
  for (const action of ['apply', 'stop', 'undo'] as const)
    http.action(
      `${item}/${action}`,
      { ...changing, notInBatch, summary: actions[action], shows, changes: item },
      ({ params, ...asked }) => imports[action]((params as { readonly importId: string }).importId, asked),
    )
}
