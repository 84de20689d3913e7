/** The frame of every drawing, with one style sheet for light and dark. */
export const drawing = (
  size: { width: number; height: number; title: string },
  content: readonly string[],
) => `\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-label="${escaped(size.title)}">
<style>${style}</style>
<rect class="ground" width="${size.width}" height="${size.height}" rx="8"/>
${content.join('\n')}
</svg>
`

interface Palette {
  readonly ground: string
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly ours: string
  readonly theirs: string
  readonly limit: string
}

/** Plain rules without variables, which simple viewers do not support. */
const painted = ({ ground, ink, soft, line, ours, theirs, limit }: Palette) => `
.ground { fill: ${ground} }
text { fill: ${ink} }
.soft { fill: ${soft} }
.ours { fill: ${ours} }
.theirs { fill: ${theirs} }
.limit { fill: ${limit}; stroke: ${theirs}; stroke-dasharray: 3 3 }
.line { stroke: ${line} }
.spread { stroke: ${ink}; stroke-opacity: 0.55 }
`

const light = {
  ground: '#ffffff',
  ink: '#1f2430',
  soft: '#6b7280',
  line: '#e5e7eb',
  ours: '#0f766e',
  theirs: '#b8c0cc',
  limit: '#eef0f3',
}
const dark = {
  ground: '#14171d',
  ink: '#e6e9ef',
  soft: '#98a1b0',
  line: '#2a303b',
  ours: '#2dd4bf',
  theirs: '#4b5565',
  limit: '#232934',
}

const style = `
text { font: 12px ui-sans-serif, system-ui, 'Segoe UI', sans-serif }
.title { font-weight: 600; font-size: 14px }
.strong { font-weight: 600 }
.end { text-anchor: end }
.line { fill: none }
${painted(light)}
@media (prefers-color-scheme: dark) {${painted(dark)}
}
`

export const svgText = (at: { x: number; y: number; class?: string }, text: string) =>
  `<text x="${rounded(at.x)}" y="${rounded(at.y)}"${at.class ? ` class="${at.class}"` : ''}>${escaped(text)}</text>`

export const svgRect = (at: { x: number; y: number; width: number; height: number; class: string }) =>
  `<rect x="${rounded(at.x)}" y="${rounded(at.y)}" width="${rounded(Math.max(at.width, 1))}" height="${rounded(at.height)}" rx="2" class="${at.class}"/>`

export const svgLine = (at: { x1: number; y1: number; x2: number; y2: number; class: string }) =>
  `<path d="M${rounded(at.x1)} ${rounded(at.y1)}L${rounded(at.x2)} ${rounded(at.y2)}" class="${at.class}"/>`

export const rounded = (value: number) => String(Math.round(value * 10) / 10)

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
