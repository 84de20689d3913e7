import { labelOf, labelsNow, resourceAt } from '#console/app/api/declared.ts'
import { locale } from '#console/app/state/preferences.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { Endpoint } from './api.ts'

/** The title of an operation, and the language that it is in. The document itself is in English. */
export const titleOf = ({ method, path, operation }: Endpoint) => {
  const title = locale.get() === 'ja' ? japaneseTitle(`${method.toUpperCase()} ${path}`) : undefined
  return title === undefined ? { title: operation.summary, lang: 'en' } : { title, lang: undefined }
}

/** The heading above the operations with this tag. */
export const headingOf = (tag: string) => {
  const heading = locale.get() === 'ja' ? (headings[tag] ?? nounAt(tag.toLowerCase())) : undefined
  return heading === undefined ? { title: tag, lang: 'en' } : { title: heading, lang: undefined }
}

/** The Japanese noun for the records whose path segment is this plural, such as `todos`. */
const nounAt = (plural: string): string | undefined => {
  const resource = resourceAt(plural)
  if (resource) return labelsNow(resource).one
  return plural === 'members' ? wordsNow().pages.members : undefined
}

const japaneseTitle = (operation: string) => {
  const [, method = '', plural = '', rest = ''] = /^(\w+) \/(\w+)(.*)$/.exec(operation) ?? []
  const noun = nounAt(plural)
  const [, part] = /^\/\{\w+\}\/(\w+)$/.exec(rest) ?? []
  const resource = resourceAt(plural)
  if (resource && part && resource.actions.includes(part)) return labelOf(resource, part)
  const shape = `${method} ${rest.replace(/\{\w+\}/, '{}')}`
  return titles[operation] ?? (noun && titlesByShape[shape]?.(noun))
}

const titlesByShape: Readonly<Record<string, (noun: string) => string>> = {
  'GET ': (noun) => `${noun}の一覧`,
  'POST ': (noun) => `${noun}を登録`,
  'GET /{}': (noun) => `${noun}を取得`,
  'PUT /{}': (noun) => `${noun}を更新`,
  'PATCH /{}': (noun) => `${noun}の一部の項目を変更`,
  'DELETE /{}': (noun) => `${noun}を削除`,
  'GET /{}/history': (noun) => `${noun}の履歴を取得`,
  'POST /{}/restore': (noun) => `削除した${noun}を復元`,
  'POST /{}/secret': (noun) => `${noun}のシークレットを再発行`,
  'POST /imports': (noun) => `${noun}を取り込む`,
}

const titles: Readonly<Record<string, string>> = {
  'PUT /todos/{todoId}': 'やることを完了にする',
  'PUT /members/{memberId}/credential': '会員のサインイン情報を変更',
  'PATCH /members/{memberId}/credential': '会員のサイン ID を変更',
  'POST /members/{memberId}/invitation': '会員を招待',
  'GET /members/{memberId}/invitation': '招待された会員を取得',
  'PUT /members/{memberId}/invitation': 'パスワードを設定',
  'POST /members/invitations': '複数の会員を招待',
  'GET /members/{memberId}/role': '会員の役割を取得',
  'PUT /members/{memberId}/role': '会員の役割を変更',
  'POST /webhooks/{webhookId}/test': 'Webhook をテスト',
  'PUT /webhooks/{webhookId}/position': 'Webhook の位置を変更',
  'GET /webhooks/{webhookId}/deliveries': 'Webhook の配信の記録を取得',
  'GET /webhooks/{webhookId}/deliveries/{deliveryId}': 'Webhook の配信を取得',
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend': 'Webhook の配信を再送',
  'GET /imports': '取り込みの一覧',
  'GET /imports/{importId}': '取り込みを取得',
  'PATCH /imports/{importId}': '取り込みの読み方を変更',
  'DELETE /imports/{importId}': '取り込みを消去',
  'GET /imports/{importId}/rows': '取り込む行の一覧',
  'GET /imports/{importId}/passwords': '取り込みで作成したパスワードの一覧',
  'PATCH /imports/{importId}/rows': '同じ値の行をまとめて訂正',
  'GET /imports/{importId}/rows/{line}': '取り込む行を取得',
  'PATCH /imports/{importId}/rows/{line}': '取り込む行を訂正',
  'POST /imports/{importId}/apply': '取り込みを実行',
  'POST /imports/{importId}/stop': '取り込みを停止',
  'POST /imports/{importId}/undo': '取り込みを取り消す',
  'GET /changes': '変更の一覧',
  'POST /batch': '多くの変更をまとめて行う',
  'POST /tokens': 'トークンを発行',
  'DELETE /tokens': '自分のトークンをすべて無効にする',
  'GET /me': '呼び出し元を取得',
  'GET /me/views': '保存したビューの一覧',
  'POST /me/views': 'ビューを保存',
  'GET /me/views/{viewId}': '保存したビューを取得',
  'PUT /me/views/{viewId}': '保存したビューを変更',
  'DELETE /me/views/{viewId}': '保存したビューを削除',
  'GET /openapi.json': 'この文書を取得',
}

const headings: Readonly<Record<string, string>> = {
  Imports: '取り込み',
  Changes: '変更',
  Batches: '一括変更',
  Tokens: 'トークン',
  Caller: '呼び出し元',
  'Saved views': '保存したビュー',
  Document: 'この文書',
}
