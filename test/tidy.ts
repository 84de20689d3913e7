import type { SourceFile } from './source.ts'

/** The layer of each folder. A file imports from lower layers or from its own folder. */
const layers: Readonly<Record<string, number>> = {
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

/** The layers inside `http`. */
const layersOfHttp: Readonly<Record<string, number>> = { wire: 0, message: 1, api: 2, openapi: 3 }

/** The folder of a file below `src`, and below `resources` also the folder of the resource. */
const folderOf = (path: string) => {
  const [, first = '', resource = ''] = path.split('/')
  // A file and the folder with its parts count as one: `app.ts` and `app/`.
  const folder = first.replace(/\.ts$/, '')
  return { folder, resource: folder === 'resources' && path.split('/').length > 3 ? resource : '' }
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
  if (specifier.includes('../')) return 'no import contains ../'
  if (!specifier.startsWith('#')) return undefined
  const from = folderOf(path)
  const to = folderOf(specifier.replace(/^#src\//, 'src/').replace(/^#/, 'src/'))
  if (directoryOf(path) === directoryOf(specifier.replace('#', 'src/')))
    return 'its own folder is reached by ./'
  if (from.folder === 'resources' && to.folder === 'resources')
    return betweenResources(from.resource, to.resource)
  if (from.folder === 'http' && to.folder === 'http') return withinHttp(partOf(path), partOf(specifier))
  if (from.folder === to.folder) return undefined
  return violationOfLayers(layers[from.folder], layers[to.folder])
}

const violationOfLayers = (own = Number.NaN, below = Number.NaN) => {
  if (Number.isNaN(below) || Number.isNaN(own)) return 'the layer of the folder is not known'
  return below < own ? undefined : 'that layer is not lower'
}

const withinHttp = (from: string, to: string) =>
  from === to ? undefined : violationOfLayers(layersOfHttp[from], layersOfHttp[to])

/** The folder inside `http`, of a path or of an import. */
const partOf = (path: string) => path.replace(/^(?:src\/|#src\/|#)/, '').split('/')[1] ?? ''

const directoryOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** A resource may import files shared by all resources and the code for declared resources. Only shared files may import a resource. */
const betweenResources = (from: string, to: string) =>
  from === '' || to === '' || to === 'machine' ? undefined : 'resources never import one another'
