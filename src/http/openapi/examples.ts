import { httpSyntax, type Kind, Problem, rootCodes } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import { unsupportedType } from '#http/body/body.ts'
import { parseJson } from '#http/body/json.ts'
import { asProblem, statusOf } from '#http/errors.ts'
import { keyInUse } from '#http/idempotency.ts'
import { pagingParameters } from '#http/lists.ts'
import { parseQuery, readParameters } from '#http/query.ts'
import { refusal } from '#http/refusal.ts'
import { chooseForm, type Form, mediaTypes } from '#http/representation/form.ts'
import { statusOfCode } from './errors.ts'
import type { Node } from './node.ts'

/** A refusal as the service makes it, and the path below the address of the API that it answers: none if it is refused unread. */
export interface RefusalExample {
  readonly problem: Problem
  readonly path?: string
}

interface ExampleParts {
  readonly words: Words
  /** What precedes every path. */
  readonly basePath: string
  /** The path of a list, for refusals that any path may get. */
  readonly list: string
  /** The refusals that only a room can make. */
  readonly ofRooms: readonly RefusalExample[]
}

/** The answer with this code, written by what writes every refusal. */
export type ShowRefusal = (code: string, form: Form) => Node

export const refusalExamples = ({ words, basePath, list, ofRooms }: ExampleParts): ShowRefusal => {
  const examples = new Map(
    [...plainly(list), ...exactly(list), ...ofRooms].map((example) => [
      example.problem.resolved.code,
      example,
    ]),
  )
  const rules = { words, locale: 'en', errorsUrl: '/docs/errors/', basePath } as const
  return (code, form) => {
    const { problem, path } = examples.get(code) ?? { problem: unexplained(code), path: list }
    const refused = { track, path: path ?? '', accept: mediaTypes[form] }
    const { body } = refusal(problem, refused, rules)
    return JSON.parse(String(body))
  }
}

const track = '0af7651916cd43dd8448eb211c80319c'

const plainly = (path: string): readonly RefusalExample[] =>
  Object.keys(rootCodes).map((kind) => ({ problem: new Problem(kind as Kind), path }))

const exactly = (path: string): readonly RefusalExample[] => [
  { problem: httpSyntax({ code: 'Missing', target: 'Host' }) },
  { problem: new Problem('targetTooLong') },
  { problem: new Problem('headersTooLarge') },
  { problem: thrownBy(() => chooseForm('yaml', undefined)), path: `${path}.yaml` },
  { problem: unsupportedType(['application/json', 'application/xml']), path },
  { problem: thrownBy(() => readParameters(parseQuery('size=0'), paging)), path },
  { problem: thrownBy(() => readParameters(parseQuery('page=x'), paging)), path },
  { problem: thrownBy(() => parseJson('{')), path },
  { problem: keyInUse(), path },
]

const paging = pagingParameters([])

const thrownBy = (work: () => unknown): Problem => {
  try {
    work()
  } catch (error) {
    return asProblem(error)
  }
  throw new Error('nothing was refused')
}

/** The refusal of a room that gives no example of it. */
const unexplained = (code: string) =>
  new Problem(statusOfCode(code) === statusOf.notFound ? 'notFound' : 'business', { messages: [{ code }] })
