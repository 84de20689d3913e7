import { language, words } from './reference-words.js'

/** Builds the API reference from the OpenAPI document, with a form at each operation that calls the API. */

/** Text from the document is marked as English, even on a page in another language. */
const english = { lang: 'en' }

const main = document.getElementById('main')
const side = document.getElementById('side')
const state = document.getElementById('state')

/** Header fields that every response has. */
const everywhere = /^(X-Content|X-Track|Referrer|Content-Sec|RateLimit|Cache-Control|Vary|Content-Lang)/

const response = await fetch('/api/v1/openapi.json').catch(() => undefined)
if (response?.ok) show(await response.json())
else state.textContent = words.unread

function show(api) {
  const operations = operationsOf(api)
  const credentials = { authorization: '' }
  side.append(...sideOf(api, operations))
  state.remove()
  main.append(
    h('h1', english, api.info.title, ' ', h('span', { class: 'soft' }, api.info.version)),
    ...paragraphs(api.info.description),
    ...credentialsOf(api, credentials),
  )
  for (const tag of api.tags) {
    main.append(h('h2', { id: `tag-${tag.name}`, ...english }, tag.name), ...paragraphs(tag.description))
    for (const one of operations.filter(({ operation }) => operation.tags.includes(tag.name)))
      main.append(operationSection(api, one, credentials))
  }
  main.append(h('h2', { id: 'schemas' }, words.schemas), ...schemaSections(api))
  document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

/** An element. Children that are false or undefined are left out. */
function h(name, attributes, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value)
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.flat(9).filter((child) => child !== undefined && child !== false))
  return element
}

/** Text between backticks is code. */
function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part))
}

function said(text) {
  return h('span', english, prose(text))
}

function paragraphs(text = '') {
  return text.split('\n\n').map((part) => h('p', english, prose(part)))
}

function resolve(api, node) {
  if (!node?.$ref) return node
  const path = node.$ref.slice(2).split('/')
  return path.reduce((at, step) => at[step.replaceAll('~1', '/').replaceAll('~0', '~')], api)
}

function sideOf(api, operations) {
  return api.tags
    .flatMap(({ name }) => [
      h('h2', english, h('a', { href: `#tag-${name}` }, name)),
      h(
        'ul',
        english,
        operations
          .filter(({ operation }) => operation.tags.includes(name))
          .map(({ method, operation }) =>
            h('li', {}, h('a', { href: `#${operation.operationId}` }, methodOf(method), operation.summary)),
          ),
      ),
    ])
    .concat(h('h2', {}, h('a', { href: '#schemas' }, words.schemas)))
}

function methodOf(method) {
  return h('span', { class: `method ${method}` }, method.toUpperCase())
}

/** Credentials stay in this page and vanish with it. */
function credentialsOf(api, credentials) {
  const schemes = api.components.securitySchemes
  const forms = []
  if (schemes.basic) {
    const signId = h('input', { autocomplete: 'username' })
    const password = h('input', { type: 'password', autocomplete: 'current-password' })
    const take = () => {
      const bytes = new TextEncoder().encode(`${signId.value}:${password.value}`)
      credentials.authorization = signId.value ? `Basic ${btoa(String.fromCharCode(...bytes))}` : ''
    }
    const fields = [h('label', {}, words.signId, signId), h('label', {}, words.password, password)]
    forms.push(h('div', { class: 'fields', input: take }, fields))
  }
  if (schemes.oauth) {
    const token = h('input', { autocomplete: 'off' })
    const take = () => {
      credentials.authorization = token.value ? `Bearer ${token.value}` : ''
    }
    forms.push(h('div', { class: 'fields', input: take }, h('label', {}, words.token, token)))
  }
  return forms.length > 0 ? [h('section', { class: 'try' }, h('h3', {}, words.who), forms)] : []
}

function operationSection(api, { path, method, operation }, credentials) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(api, parameter))
  return h(
    'section',
    { class: 'operation', id: operation.operationId, 'aria-label': operation.summary },
    h('h3', english, operation.summary),
    h('p', {}, methodOf(method), ' ', h('span', { class: 'path' }, api.servers[0].url + path)),
    paragraphs(operation.description),
    needs(operation),
    parameters.length > 0 && parameterTable(parameters),
    operation.requestBody && bodyOf(operation.requestBody),
    answersOf(api, operation),
    tryForm(api, { path, method, operation, parameters }, credentials),
  )
}

function needs({ security = [{}] }) {
  const scopes = security.flatMap((one) => one.oauth ?? [])
  return (
    scopes.length > 0 &&
    h(
      'p',
      { class: 'soft' },
      words.scope,
      joined(
        scopes.map((scope) => h('code', {}, scope)),
        words.or,
      ),
    )
  )
}

function joined(parts, between) {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))
}

function parameterTable(parameters) {
  return details(
    words.parameters(parameters.length),
    table(
      [words.name, words.where, words.type, words.meaning],
      parameters.map(({ name, in: where, schema, description, required }) => [
        [h('code', {}, name), required ? words.required : ''],
        h('span', { class: 'place' }, words.places[where] ?? where),
        typeText(schema),
        said(description),
      ]),
    ),
  )
}

function details(title, ...children) {
  return h('details', {}, h('summary', {}, title), children)
}

function table(heads, rows) {
  return h(
    'div',
    { class: 'wide', tabindex: '0', role: 'group', 'aria-label': heads.join(', ') },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  )
}

function schemaLink(ref) {
  const name = ref.split('/').at(-1)
  return h('a', { href: `#schema-${name}` }, name)
}

/** A type in a few words, with links to the schemas that it names. */
function typeText(schema) {
  if (schema.$ref) return [schemaLink(schema.$ref)]
  const choices = schema.anyOf ?? schema.allOf
  if (choices?.some(({ $ref, type }) => $ref ?? type)) return joined(choices.map(typeText), words.or).flat()
  if (schema.enum)
    return joined(
      schema.enum.map((value) => h('code', {}, value)),
      ' ',
    )
  if (schema.items) return words.list(typeText(schema.items))
  const { minLength, maxLength, minimum, format } = schema
  const length = maxLength === undefined ? '' : words.length(minLength ?? 0, maxLength)
  const least = minimum === undefined ? '' : words.least(minimum)
  return [[schema.type].flat().join(words.or) + (format ? ` (${format})` : '') + length + least]
}

function bodyOf({ content }) {
  return details(
    words.body,
    Object.entries(content).map(([type, { schema, example, 'x-serialized': text = example }]) => [
      h('p', {}, h('code', {}, type), ' ', typeText(schema)),
      text !== undefined && exampleOf(text),
    ]),
  )
}

function exampleOf(example) {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return h('pre', { tabindex: '0' }, h('code', {}, text))
}

function answersOf(api, { responses, 'x-error-codes': ownCodes = [] }) {
  const rows = Object.entries(responses).map(([status, node]) => {
    const { description, content = {}, headers = {}, 'x-error-codes': all } = resolve(api, node)
    const schema = content['application/json']?.schema
    const codes = status === 'default' ? all : all?.filter((code) => ownCodes.includes(code))
    const special = Object.keys(headers).filter((name) => !everywhere.test(name))
    return [
      h('span', { class: 'status' }, status),
      codes
        ? codes.map((code) => errorLine(code, description))
        : [said(description), ' ', schema ? typeText(schema) : ''],
      h('span', { class: 'soft' }, special.join(', ')),
    ]
  })
  const example = Object.values(responses)[0].content?.['application/json']?.example
  return details(
    words.answers,
    table([words.status, words.meaning, words.headerFields], rows),
    example !== undefined && exampleOf(example),
  )
}

function errorLine(code, description) {
  const summary = description
    .split('\n\n')
    .find((line) => line.startsWith(`\`${code}\``))
    ?.slice(code.length + 3)
  return h('div', {}, h('a', { href: `/docs/errors/${code}?lang=${language}` }, code), ' ', said(summary))
}

function schemaSections(api) {
  return Object.entries(api.components.schemas).map(([name, schema]) =>
    h(
      'section',
      { class: 'operation', id: `schema-${name}`, 'aria-label': name },
      h('h3', {}, name),
      paragraphs(schema.description ?? ''),
      schema.properties
        ? table(
            [words.field, words.type, words.meaning],
            Object.entries(schema.properties).map(([field, one]) => [
              [h('code', {}, field), schema.required?.includes(field) ? '' : words.optional],
              one.enum?.length > 12 ? [words.text] : typeText(one),
              said(one.description ?? ''),
            ]),
          )
        : h('p', {}, typeText(schema)),
    ),
  )
}

/** A form that calls the API on the same origin and shows the complete response. */
function tryForm(api, { path, method, operation, parameters }, credentials) {
  const inputs = parameters.map((parameter) => ({ ...parameter, input: inputOf(parameter) }))
  const label = ({ name, input }) => h('label', {}, name, input)
  const types = Object.entries(operation.requestBody?.content ?? {})
  const type = types.length > 0 && selectOf(types.map(([one]) => one))
  const body = type && h('textarea', { spellcheck: 'false' }, textOf(types[0][1]))
  const accept = selectOf([
    'application/json',
    'application/xml',
    'application/problem+json, application/json',
  ])
  const result = h('div', { role: 'status' })
  const button = h('button', {}, words.send)
  if (type)
    type.addEventListener('change', () => {
      body.value = textOf(types.find(([one]) => one === type.value)[1])
    })
  const send = async (event) => {
    event.preventDefault()
    // A disabled button would lose the focus.
    if (button.ariaDisabled) return
    button.ariaDisabled = 'true'
    const url = addressOf(api, path, inputs)
    const headers = headersOf(inputs, { accept, type, credentials })
    result.replaceChildren(
      ...(await exchange(url, { method: method.toUpperCase(), headers, body: body?.value })),
    )
    button.ariaDisabled = null
  }
  const form = h(
    'form',
    { submit: send },
    h('div', { class: 'fields' }, inputs.filter((one) => one.in !== 'header').map(label)),
    details(
      words.headerFields,
      h('div', { class: 'fields' }, inputs.filter((one) => one.in === 'header').map(label)),
    ),
    h(
      'div',
      { class: 'fields' },
      h('label', {}, 'Accept', accept),
      type && h('label', {}, 'Content-Type', type),
    ),
    body && h('label', {}, words.body, body),
    h('p', {}, button),
    result,
  )
  return h('details', { class: 'try' }, h('summary', {}, words.tryIt), form)
}

function textOf({ example = '', 'x-serialized': text = example }) {
  return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
}

function inputOf({ schema, required }) {
  if (schema.enum) return selectOf(['', ...schema.enum])
  if (schema.type === 'boolean') return selectOf(['', 'true', 'false'])
  return h('input', { autocomplete: 'off', required, spellcheck: 'false' })
}

function selectOf(values) {
  return h(
    'select',
    {},
    values.map((value) => h('option', { value }, value || '–')),
  )
}

function addressOf(api, path, inputs) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const { input } = inputs.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(input.value)
  })
  const query = new URLSearchParams()
  for (const { name, in: where, input } of inputs)
    if (where === 'query' && input.value !== '') query.append(name, input.value)
  const base = new URL(api.servers[0].url, location.href).pathname
  return base + filled + (query.size > 0 ? `?${query}` : '')
}

function headersOf(inputs, { accept, type, credentials }) {
  const headers = { Accept: accept.value }
  if (type) headers['Content-Type'] = type.value
  if (credentials.authorization) headers.Authorization = credentials.authorization
  for (const { name, in: where, input } of inputs)
    if (where === 'header' && input.value !== '') headers[name] = input.value
  return headers
}

/** The longest part of a body that is shown, in characters: a browser takes seconds to lay out megabytes. */
const shownLength = 100_000

async function exchange(url, { method, headers, body }) {
  const command = h('pre', { tabindex: '0' }, h('code', {}, curl(url, { method, headers, body })))
  const beganMs = performance.now()
  try {
    const answer = await fetch(url, {
      method,
      headers,
      body: body || undefined,
      credentials: 'omit',
      cache: 'no-store',
    })
    const text = await answer.text()
    const tookMs = Math.round(performance.now() - beganMs)
    const fields = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    const whole = pretty(text)
    const leftOut = whole.length - shownLength
    return [
      command,
      h('p', {}, h('strong', {}, `${answer.status} ${answer.statusText}`), words.took(tookMs)),
      h('pre', { tabindex: '0' }, h('code', {}, `${fields}\n\n${whole.slice(0, shownLength)}`)),
      leftOut > 0 && h('p', {}, words.leftOut(leftOut)),
    ].filter(Boolean)
  } catch {
    return [command, h('p', {}, words.unanswered)]
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function curl(url, { method, headers, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const shown = { ...headers, ...(headers.Authorization ? { Authorization: '…' } : {}) }
  const fields = Object.entries(shown).map(([name, value]) => ` \\\n  -H ${quote(`${name}: ${value}`)}`)
  return `curl -X ${method} ${quote(location.origin + url)}${fields.join('')}${body ? ` \\\n  -d ${quote(body)}` : ''}`
}
