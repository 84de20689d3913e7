import { encodings } from '#core/foreign-files.ts'
import { locales } from '#core/locale.ts'
import { choiceParameter, flagParameter, textParameter } from '#http/api/query.ts'
import type { Routes } from '#http/api/routes.ts'
import { maxFileBytes } from './files/refused.ts'
import { importCodes, wrongState } from './messages.ts'
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
import type { ImportableResource, ImportService } from './service.ts'
import type { fileStorage } from './storing.ts'

const shows = { full: Import }
const rowViews = { full: ImportRow }
const importPath = '/imports/:importId'
const rowPath = `${importPath}/rows/:line` as const
const notInBatch = true
const readOptions = { operation: 'imports:read' } as const
const changeOptions = { operation: 'imports:change', refusals: [importCodes.importState] } as const

const uploadParameters = {
  name: textParameter('The name of the file.', 256),
  sheet: textParameter('The sheet of a workbook; by default the first.', 128),
  encoding: choiceParameter('The encoding of a text file; by default it is detected.', encodings),
  locale: choiceParameter('The language of the messages about faults.', locales),
  existing: choiceParameter('The effect on existing records; by default they are updated.', existing),
  apply: flagParameter('Applies the import as soon as its rows are checked, if no question is open.'),
}

export const importRoutes = (
  http: Routes,
  imports: ImportService & {
    readonly storeFile: ReturnType<typeof fileStorage>
    readonly passwords: ReturnType<typeof passwordList> | undefined
  },
  importables: readonly ImportableResource[],
) => {
  for (const { name, plural } of importables)
    http.upload(
      `/${plural}/imports`,
      {
        operation: `${plural}:import`,
        summary: `Import ${plural}`,
        shows,
        idProperty: 'importId',
        listPath: '/imports',
        upload: {
          limitBytes: maxFileBytes,
          parameters: uploadParameters,
          store: (pieces) => imports.storeFile(name, pieces),
        },
      },
      ({ body, prepared, ...call }) => imports.begin(prepared, body, call),
    )
  http.get(
    '/imports',
    { ...readOptions, summary: 'List imports', shows: { full: Imports } },
    ({ principal }) => imports.all(principal),
  )
  http.get(importPath, { ...readOptions, summary: 'Get an import', shows }, ({ params, principal }) =>
    imports.find(params.importId, principal),
  )
  http.patch(
    importPath,
    { ...changeOptions, notInBatch, summary: 'Change how an import is read', shows, body: ImportChange },
    ({ params, body, ...call }) => imports.change(params.importId, body, call),
  )
  http.delete(
    importPath,
    { ...changeOptions, notInBatch, summary: 'Forget an import' },
    ({ params, ...call }) => imports.remove(params.importId, call),
  )
  http.list(
    `${importPath}/rows`,
    {
      ...readOptions,
      summary: 'List the rows of an import',
      shows: rowViews,
      sortable: ['line'],
      idProperty: 'line',
      filter: { outcome: choiceParameter('Only rows with this outcome.', [...outcomes, 'applied']) },
      requireVisible: ({ params, principal }) => imports.findReadable(params.importId ?? '', principal),
    },
    imports.rows,
  )
  if (imports.passwords)
    http.list(
      `${importPath}/passwords`,
      {
        ...readOptions,
        summary: 'List the generated passwords of an import',
        showsSecret: true,
        refusals: [importCodes.importState],
        shows: { full: ImportPassword },
        sortable: ['line'],
        idProperty: 'line',
        filter: {},
        async requireVisible({ params, principal }) {
          const { state, by } = await imports.findReadable(params.importId ?? '', principal)
          refuseUnlessSender(by, principal)
          if (state === 'applying' || state === 'undoing') throw wrongState(state)
        },
      },
      imports.passwords,
    )
  http.get(
    rowPath,
    { ...readOptions, summary: 'Get a row of an import', shows: rowViews },
    ({ params, principal }) => imports.row(params.importId, params.line, principal),
  )
  http.patch(
    rowPath,
    {
      ...changeOptions,
      notInBatch,
      summary: 'Correct a row of an import',
      shows: rowViews,
      body: Correction,
    },
    ({ params, body, ...call }) => imports.correct(params.importId, params.line, body, call),
  )
  http.patch(
    `${importPath}/rows`,
    {
      ...changeOptions,
      notInBatch,
      summary: 'Replace a value in all rows',
      shows,
      body: Replacement,
      changedPath: importPath,
    },
    ({ params, body, ...call }) => imports.replaceAll(params.importId, body, call),
  )
  const actions = { apply: 'Apply an import', stop: 'Stop an import', undo: 'Undo an import' } as const
  for (const action of ['apply', 'stop', 'undo'] as const)
    http.action(
      `${importPath}/${action}`,
      { ...changeOptions, notInBatch, summary: actions[action], shows, changedPath: importPath },
      ({ params, ...call }) => imports[action]((params as { readonly importId: string }).importId, call),
    )
}
