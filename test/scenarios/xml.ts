import assert from 'node:assert/strict'
import { SaxesParser } from 'saxes'

/** An element as read by a strict parser. */
export interface Element {
  readonly name: string
  readonly nil: boolean
  readonly children: Element[]
  text: string
}

const instance = 'http://www.w3.org/2001/XMLSchema-instance'

/** Throws on anything that is not well-formed XML with namespaces. */
export const readXml = (text: string): Element => {
  const parser = new SaxesParser({ xmlns: true })
  const open: Element[] = []
  let root: Element | undefined
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => assert.fail('a DOCTYPE'))
  parser.on('opentag', (tag) => {
    const nil = Object.values(tag.attributes).some(
      (attribute) => attribute.uri === instance && attribute.local === 'nil' && attribute.value === 'true',
    )
    const element: Element = { name: tag.name, nil, children: [], text: '' }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  const write = (part: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += part
  }
  parser.on('text', write)
  parser.on('cdata', write)
  parser.on('closetag', () => open.pop())
  parser.write(text).close()
  assert.ok(root, 'a root element')
  return root
}

export type XmlValue = string | null | { [name: string]: XmlValue }

/** The element as nested objects of strings and nulls. */
export const meaning = (element: Element): XmlValue => {
  if (element.nil) return null
  if (element.children.length === 0) return element.text
  return Object.fromEntries(element.children.map((child) => [child.name, meaning(child)]))
}

/** A JSON value as `meaning` reads it from XML: every scalar is a string, null stays null. */
export const asXml = (value: unknown): XmlValue => {
  if (value === null) return null
  if (typeof value !== 'object') return String(value)
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, asXml(one)]))
}

export const writeXml = (root: string, value: Readonly<Record<string, unknown>>): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns:xsi="${instance}">${fields(value)}</${root}>`

const fields = (value: object): string =>
  Object.entries(value)
    .map(([name, one]: [string, unknown]) => {
      if (one === null) return `<${name} xsi:nil="true"/>`
      return `<${name}>${typeof one === 'object' ? fields(one as object) : escaped(String(one))}</${name}>`
    })
    .join('')

const escaped = (text: string): string => text.replace(/[&<>\r]/g, (letter) => `&#${letter.codePointAt(0)};`)
