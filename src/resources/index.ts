import { key } from './key/index.ts'
import { member } from './member/index.ts'
import type { Resource } from './resource.ts'
import { todo } from './todo/index.ts'
import { webhook } from './webhook/index.ts'

export const resources: readonly Resource[] = [todo, member, key, webhook]
