import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freshFolder } from '#test/fresh-folder.ts'
import { fileLinks } from './links.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('every relative link in the Markdown files of the repository leads to a file', () => {
  const links = fileLinks(root)
  assert.ok(links.length > 200, `${links.length}`)
  assert.deepEqual(
    links.filter(({ to }) => !existsSync(join(root, to))),
    [],
  )
})

test('links and images are found with their targets; URLs, anchors and code are skipped', async () => {
  const folder = freshFolder()
  await mkdir(join(folder, 'docs'))
  const text = [
    'A [page](../a.md), [one of its places](b.md#there) and ![a picture](images/c.png) of [`code`](../src).',
    'But not [elsewhere](https://example.com/), [here](#here) and `[code](x.md)`.',
    '```',
    '[code](y.md)',
    '```',
  ]
  await writeFile(join(folder, 'docs/page.md'), text.join('\n'))
  assert.deepEqual(
    fileLinks(folder),
    ['a.md', 'docs/b.md', 'docs/images/c.png', 'src'].map((to) => ({ page: 'docs/page.md', to })),
  )
})
