import type { SourceFile } from './source.ts'

/** The floor of each folder. Imports go down, or stay in the folder. */
const floors: Readonly<Record<string, number>> = {
  core: 0,
  sql: 1,
  http: 1,
  access: 2,
  ledger: 2,
  resources: 3,
  client: 4,
  management: 4,
  console: 5,
  version: 4,
  config: 5,
  log: 5,
  app: 6,
  index: 7,
  resource: 7,
  cli: 7,
}

/** The floors inside `http`. */
const floorsOfHttp: Readonly<Record<string, number>> = { wire: 0, message: 1, api: 2, openapi: 3 }

/** The folder of a file, and for a resource its room. */
const roomOf = (path: string) => {
  const [, first = '', room = ''] = path.split('/')
  // A file and the folder with its parts count as one: `app.ts` and `app/`.
  const folder = first.replace(/\.ts$/, '')
  return { folder, room: folder === 'resources' && path.split('/').length > 3 ? room : '' }
}

/** Every import that breaks the rules, as a sentence. */
export const violations = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    importsOf(text).flatMap((specifier) => {
      const why = violationOf(path, specifier)
      return why ? [`${path} imports ${specifier}: ${why}`] : []
    }),
  )

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)

const violationOf = (path: string, specifier: string): string | undefined => {
  if (specifier.includes('../')) return 'no path climbs'
  if (!specifier.startsWith('#')) return undefined
  const from = roomOf(path)
  const to = roomOf(specifier.replace(/^#src\//, 'src/').replace(/^#/, 'src/'))
  if (directoryOf(path) === directoryOf(specifier.replace('#', 'src/')))
    return 'its own folder is reached by ./'
  if (from.folder === 'resources' && to.folder === 'resources') return betweenRooms(from.room, to.room)
  if (from.folder === 'http' && to.folder === 'http') return withinHttp(partOf(path), partOf(specifier))
  if (from.folder === to.folder) return undefined
  return violationOfFloors(floors[from.folder], floors[to.folder])
}

const violationOfFloors = (own = Number.NaN, below = Number.NaN) => {
  if (Number.isNaN(below) || Number.isNaN(own)) return 'its floor is not known'
  return below < own ? undefined : 'that floor is not below'
}

const withinHttp = (from: string, to: string) =>
  from === to ? undefined : violationOfFloors(floorsOfHttp[from], floorsOfHttp[to])

/** The folder inside `http`, of a path or of an import. */
const partOf = (path: string) => path.replace(/^(?:src\/|#src\/|#)/, '').split('/')[1] ?? ''

const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** A room may import files shared by all rooms and the code for declared resources. Only shared files may import rooms. */
const betweenRooms = (from: string, to: string) =>
  from === '' || to === '' || to === 'machine' ? undefined : 'rooms never import rooms'
