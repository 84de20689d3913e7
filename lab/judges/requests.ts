import { readFile } from 'node:fs/promises'
import { documentPath } from './tools.ts'

export interface SentRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether it violates the document on purpose. */
  readonly isWrong?: boolean
}

export interface Exchanged {
  readonly sent: SentRequest
  readonly answer: Response
}

interface Media {
  readonly example?: unknown
}

type Operation = { readonly requestBody?: { readonly content: Readonly<Record<string, Media>> } }

const json = { 'Content-Type': 'application/json' }

/** Goes through all operations: each in all its forms, and refused in every way it can be. */
export const requests = async function* (base: string): AsyncGenerator<Exchanged> {
  const { paths } = JSON.parse(await readFile(documentPath, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const ask = async (sent: SentRequest): Promise<Exchanged> => {
    const { method = 'GET', path, headers = {}, body } = sent
    const answer = await fetch(base + path, { method, headers, body: body ?? null })
    return { sent, answer }
  }
  for (const [path, item] of Object.entries(paths)) {
    if (path.includes('{') || path.startsWith('/openapi')) continue
    const contents = inJson(item.post?.requestBody?.content)
    for (const [type, media] of contents) {
      const body = textOf(media)
      const created = await ask({ method: 'POST', path, headers: { 'Content-Type': type }, body })
      yield created
      const address = new URL(created.answer.headers.get('Location') ?? base).pathname.replace('/api/v1', '')
      yield* each(ask, ofItem(paths[itemPath(paths, path)] ?? {}, address))
      yield* each(ask, wrongBodies(path, body))
    }
    yield* each(ask, ofList(path))
  }
  yield* each(ask, [{ path: '/openapi.json' }])
}

/** Prism does not read XML, and treats problem details as any JSON: the suite itself checks both. */
const inJson = (content: Readonly<Record<string, Media>> = {}) =>
  Object.entries(content).filter(([type]) => type.endsWith('json'))

const textOf = (media: Media) => JSON.stringify(media.example)

const itemPath = (paths: object, path: string) =>
  Object.keys(paths).find((one) => one.startsWith(`${path}/{`) && one.endsWith('}')) ?? ''

const each = async function* (ask: (sent: SentRequest) => Promise<Exchanged>, all: readonly SentRequest[]) {
  for (const sent of all) yield await ask(sent)
}

const ofList = (path: string): readonly SentRequest[] => [
  { path },
  { path: `${path}?links=true` },
  { path: `${path}?page=0&size=1` },
  { path: `${path}?page=0&size=1&sort=createdAt,desc` },
  { path: `${path}?size=1&cursor=` },
  { path: `${path}?createdFrom=2020-01-01&createdTo=2100-01-01T00:00:00.000Z` },
  { path, headers: { 'If-None-Match': '*' } },
  { path: `${path}?page=abc`, isWrong: true },
  { path: `${path}?page=-1`, isWrong: true },
  { path: `${path}?sort=nothing`, headers: { 'Accept-Language': 'ja' }, isWrong: true },
  { path, headers: { Accept: 'text/html' }, isWrong: true },
  { path: `${path}?size=0`, isWrong: true },
]

const ofItem = (item: Readonly<Record<string, Operation>>, path: string): readonly SentRequest[] => {
  const changes = (['put', 'patch'] as const).flatMap((method) =>
    item[method] ? changesOf(method.toUpperCase(), path, item[method].requestBody?.content ?? {}) : [],
  )
  const unknown = path.replace(/[^/]+$/, 'nobody')
  return [
    { path },
    { path: `${path}?links=true` },
    { path, headers: { 'If-None-Match': '*' } },
    { path, headers: { 'If-Match': '"0-j"' } },
    { path: unknown },
    ...changes,
    { method: 'DELETE', path, headers: { 'If-Match': '"0-j"' } },
    { method: 'DELETE', path },
    { method: 'DELETE', path },
  ]
}

const changesOf = (
  method: string,
  path: string,
  content: Readonly<Record<string, Media>>,
): readonly SentRequest[] => {
  const types = inJson(content)
  if (types.length === 0)
    return [
      { method, path },
      { method, path, headers: { Prefer: 'return=minimal' } },
    ]
  return types.flatMap(([type, media]) => {
    const common = { method, path, body: textOf(media) }
    const headers = { 'Content-Type': type }
    return [
      { ...common, headers },
      { ...common, headers: { ...headers, Prefer: 'return=minimal' } },
      { ...common, headers: { ...headers, 'If-Match': '"0-j"' } },
      { ...common, headers: { 'Content-Type': 'text/plain' }, isWrong: true },
      { method, path, headers, body: '{', isWrong: true },
    ]
  })
}

const wrongBodies = (path: string, body: string): readonly SentRequest[] => {
  const post = { method: 'POST', path, headers: json }
  const key = { ...json, 'Idempotency-Key': 'judged' }
  return [
    { ...post, body, headers: { ...json, Prefer: 'return=minimal' } },
    { ...post, body: '{}', isWrong: true },
    { ...post, body: '{"nobody":1}', isWrong: true },
    { ...post, body: '[]', isWrong: true },
    { ...post, body: ' '.repeat(2_000_000), isWrong: true },
    { ...post, body, headers: { 'Content-Type': 'text/plain' }, isWrong: true },
    { ...post, body: '{ }', headers: key, isWrong: true },
    { ...post, body: body.replace(/"(todoTitle|firstName)":"[^"]*"/, '"$1":"Another"'), headers: key },
    { ...post, body: body.replace(/"(todoTitle|firstName)":"[^"]*"/, '"$1":"A third"'), headers: key },
  ]
}
