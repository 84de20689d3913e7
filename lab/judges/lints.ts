import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documentPath, folder, run, scratch } from './tools.ts'

export interface Finding {
  readonly rule: string
  readonly where: string
  readonly message: string
}

/** The judges that lint the document. */
export const lints = {
  owasp: async () => spectral('owasp.yaml', await withoutExamples()),
  zalando: async () => spectral('zalando.yaml', await withoutExamples()),
  redocly: () => redocly(),
}

interface SpectralFinding {
  readonly code: string
  readonly message: string
  readonly path: readonly (string | number)[]
}

const spectral = async (rules: string, path: string): Promise<readonly Finding[]> => {
  const ran = await run('spectral', [
    'lint',
    path,
    '--ruleset',
    folder + rules,
    '--format',
    'json',
    '--quiet',
  ])
  const found = parsed(ran.output, ran.errors) as readonly SpectralFinding[]
  return found
    .map(({ code, message, path }) => ({ rule: code, where: path.join(' '), message }))
    .filter(({ where }) => !nameOfField.test(where))
}

/** A field may have a name that the rules know as a part of an operation. */
const nameOfField = /^components schemas \w+ properties (?:headers|responses)$/

/** The Zalando rules fail on a null within an example; those of OWASP take a batch in an example for operations. */
const withoutExamples = async () => {
  const text = await readFile(documentPath, 'utf8')
  const bare = JSON.stringify(JSON.parse(text), (name, value) =>
    /^examples?$/.test(name) ? undefined : value,
  )
  const path = join(scratch(), 'openapi.json')
  await writeFile(path, bare)
  return path
}

interface RedoclyFinding {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

const redocly = async (): Promise<readonly Finding[]> => {
  const ran = await run('redocly', [
    'lint',
    documentPath,
    '--extends',
    'recommended-strict',
    '--format',
    'json',
  ])
  const { problems } = parsed(ran.output, ran.errors) as { readonly problems: readonly RedoclyFinding[] }
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    where: location[0]?.pointer ?? '',
    message,
  }))
}

const parsed = (text: string, errors: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`a judge printed no valid JSON: ${errors.slice(0, 1000)}`)
  }
}
