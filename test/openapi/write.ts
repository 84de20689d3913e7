import { writeFile } from 'node:fs/promises'
import { published, root } from './published.ts'

for (const [path, text] of await published()) {
  await writeFile(new URL(path, root), text)
  console.log(`${path}: ${Buffer.byteLength(text)} bytes`)
}
