import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Exchange, field, recordSuite } from './exchanges.ts'
import type { Finding } from './lints.ts'
import { type Violation, withPrism } from './prism.ts'
import { scratch } from './tools.ts'

/** Shows every exchange of the suite to Prism: the recorded request, answered with the recorded response. */
export const suite = async (): Promise<readonly Finding[]> => {
  const { exchanges, files, tests, failed } = await recordSuite(scratch())
  const shown = exchanges.filter(isShown)
  console.log(
    `suite: ${tests} tests, ${failed.length} failed, ${exchanges.length} exchanges in ${files} files`,
  )
  const findings = await judged(shown)
  console.log(
    `suite: ${shown.length} exchanges shown to Prism, ${exchanges.length - shown.length} HEAD or OPTIONS`,
  )
  return [...findings, ...failed.map((where) => ({ rule: 'test', where, message: 'failed' }))]
}

/** The document lists neither HEAD nor OPTIONS, so Prism does not know them. */
const isShown = ({ method }: Exchange) => method !== 'HEAD' && method !== 'OPTIONS'

const judged = async (exchanges: readonly Exchange[]): Promise<readonly Finding[]> => {
  const service = replaying(exchanges)
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  try {
    return await withPrism(`http://127.0.0.1:${port}`, (base) => showAll(base, exchanges))
  } finally {
    service.close()
    service.closeAllConnections()
  }
}

const mark = 'x-exchange'

/** A server that replays the responses of the service. */
const replaying = (exchanges: readonly Exchange[]) =>
  createServer((incoming, outgoing) => {
    const exchange = exchanges[Number(incoming.headers[mark] ?? Number.NaN)]
    incoming.resume()
    if (!exchange) return void outgoing.writeHead(200).end()
    const { status, responseFields, answer } = exchange
    outgoing.writeHead(status, withoutFields(responseFields, wireFields)).end(answer)
  })

const wireFields = /^(content-(length|encoding)|transfer-encoding|connection|keep-alive|date)$/i
const connectionFields =
  /^(content-(length|encoding)|transfer-encoding|connection|keep-alive|host|expect|te|upgrade|trailer|accept-encoding|x-exchange)$/i

const withoutFields = (fields: readonly string[], names: RegExp): string[] => {
  const kept: string[] = []
  for (let at = 0; at < fields.length; at += 2)
    if (!names.test(fields[at] ?? '')) kept.push(fields[at] ?? '', fields[at + 1] ?? '')
  return kept
}

const concurrency = 8

const showAll = async (base: string, exchanges: readonly Exchange[]): Promise<readonly Finding[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const findings: Finding[] = []
  const queue = exchanges.entries()
  const work = async () => {
    for (const [place, exchange] of queue)
      findings.push(...(await complaints(await show(base, agent, { place, exchange }), exchange)))
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, work))
    return findings
  } finally {
    agent.destroy()
  }
}

interface PlacedExchange {
  readonly place: number
  readonly exchange: Exchange
}

interface Verdict {
  readonly violations: readonly Violation[]
  /** Why Prism could not read the request, which it then did not forward. */
  readonly unread: string | undefined
}

const maxVerdictMs = 5_000

/** Where the service refused the request, or Prism cannot handle it, only the response is judged. */
const show = async (base: string, agent: Agent, shown: PlacedExchange): Promise<Verdict> => {
  if (shown.exchange.status >= 400) return shownAs(base, agent, { ...shown, isTaken: false })
  const taken = await shownAs(base, agent, { ...shown, isTaken: true })
  return taken.unread === undefined ? taken : shownAs(base, agent, { ...shown, isTaken: false })
}

const shownAs = (
  base: string,
  agent: Agent,
  { place, exchange, isTaken }: PlacedExchange & { readonly isTaken: boolean },
): Promise<Verdict> => {
  const { method, path, requestFields, sent = nothing } = exchange
  const bytes = isTaken && method !== 'GET' ? sent : nothing
  const marks = [mark, String(place), 'host', '127.0.0.1', 'content-length', String(bytes.length)]
  const headers = isTaken ? [...withoutFields(requestFields, connectionFields), ...marks] : marks
  const options = { path: isTaken ? path : readable(path), method, headers, agent }
  return new Promise((resolve) => {
    const refused = ({ message }: Error) => resolve({ violations: [], unread: message })
    const request = ask(base, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', refused)
      answer.on('end', () => resolve(verdict(answer.headers, text)))
    })
    request.on('error', refused)
    request.setTimeout(maxVerdictMs, () => request.destroy(new Error('no verdict')))
    request.end(bytes)
  })
}

const nothing = Buffer.alloc(0)

/** The path without its query, made safe for Prism, which decodes it, resolves its dots and rejects an empty id. */
const readable = (path: string) => {
  const [bare = ''] = path.split('?', 1)
  return (bare.endsWith('/') ? `${bare}-/-` : bare).replaceAll(/%|\.(?=\.?(?:\/|$))/g, '_')
}

const verdict = (headers: IncomingHttpHeaders, text: string): Verdict => {
  const header = headers['sl-violations']
  const own = text.includes('stoplight.io/prism/errors') ? text : undefined
  return {
    violations: header === undefined ? [] : (JSON.parse(whole(String(header))) as readonly Violation[]),
    unread: own,
  }
}

/** Prism truncates a long list of violations: only complete ones are taken. */
const whole = (list: string) => {
  const cut = /^Too many violations! (.*),{"location"/s.exec(list)?.[1]
  return cut === undefined ? list : `${cut}]`
}

/** Responses must always match. A request must match if the service accepted it; otherwise the document is too strict. */
const complaints = ({ violations, unread }: Verdict, exchange: Exchange): readonly Finding[] => {
  const { file, method, path, status } = exchange
  const where = `${file} ${method} ${path.slice(0, 100)} ${status}`
  if (unread !== undefined) return [{ rule: 'unread', where, message: unread }]
  return violations
    .filter((violation) => counts(violation, exchange))
    .map(({ location, code, message }) => ({
      rule: `${location[0]} ${code ?? ''} ${/; found '(.*)'$/.exec(message)?.[1] ?? ''}`.trim(),
      where: `${where} ${location.join('.')}`,
      message,
    }))
}

/**
 * Prism reads neither XML nor problem details, and demands a body despite `return=minimal`: the suite checks those. It also demands
 * every field despite `fields=`: the scenarios of the views check what is shown.
 */
const counts = (violation: Violation, exchange: Exchange): boolean => {
  const [side, part] = violation.location
  const { status, requestFields, responseFields } = exchange
  const isOfRequest = side === 'request'
  if (isOfRequest && (status >= 400 || isOurLenience(violation, exchange))) return false
  if (!isOfRequest && part !== 'header' && field(responseFields, 'preference-applied')) return false
  if (!isOfRequest && part === 'body' && /[?&]fields=/.test(exchange.path)) return false
  const type = field(isOfRequest ? requestFields : responseFields, 'content-type') ?? ''
  return part !== 'body' || !/xml|problem/i.test(type)
}

/**
 * What the service accepts beyond the document: an unencoded plus in an offset, a size of any magnitude, which is capped,
 * a credential in a patch that changes nothing of it, types separated by commas, and a body where none is expected. An operation of a
 * batch is refused by itself for its body, and the names of its headers have no case.
 */
const isOurLenience = ({ location, code }: Violation, exchange: Exchange) => {
  const place = location.join('.')
  const { method, path } = exchange
  return (
    (String(code) === '415' && takesNoBody(exchange)) ||
    (/\.created(?:from|to)$/.test(place) && /created(?:From|To)=[^&]*\+\d\d:?\d\d/.test(path)) ||
    (place === 'request.query.size' && /[?&]size=\d{16,}(?:&|$)/.test(path)) ||
    (place.startsWith('request.body.credential') && method === 'PATCH') ||
    (place.startsWith('request.query.types') && /types=[^&]*,/.test(path)) ||
    (place.startsWith('request.body.operations') && /(?:body|headers)$/.test(place))
  )
}

/** Finishing a todo takes no body, nor does a DELETE. */
const takesNoBody = ({ method, path }: Exchange) =>
  method === 'DELETE' || (method === 'PUT' && path.startsWith('/todos/'))
