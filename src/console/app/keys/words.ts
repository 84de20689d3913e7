import { locale } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import type { Locale } from '#core/locale.ts'

const en = {
  subtitle: 'For programs that use this service without a person’s password.',
  make: 'New key',
  list: 'Keys',
  none: 'No keys yet',
  noneText: 'A key lets a program do what you choose, and nothing else.',
  name: 'Name',
  nameHint: 'Which program it is for, such as “Nightly report”.',
  scopes: 'What it may do',
  groups: { todos: 'Todos', members: 'Members', changes: 'Changes' },
  verbs: { read: 'read', create: 'add', update: 'change', delete: 'delete', erase: 'erase' },
  may: (verbs: readonly string[], group: string) => `${group}: ${verbs.join(', ')}`,
  expiry: 'Valid for',
  terms: { '30': '30 days', '90': '90 days', '365': 'a year', never: 'no limit' },
  expires: (date: string) => `Until ${date}`,
  expiresSoon: (ago: string, date: string) => `Ends ${ago}, on ${date}`,
  expired: (date: string) => `Expired on ${date}`,
  lasts: 'Does not expire',
  used: (hour: string) => `last used in the hour from ${hour}`,
  unused: 'never used',
  made: (date: string) => `made ${date}`,
  madeTitle: (name: string) => `The key ${name}`,
  madeText:
    'Copy it now: it is shown only this once. Whoever has it may do what it permits, so keep it like a password.',
  secret: 'Key',
  usage: 'Sent with each request:',
  done: 'I have copied it',
  unanswered:
    'No answer from the service. There may be a key now that nobody has: look in the list, and delete it.',
  remove: (name: string) => `Delete the key ${name}`,
  removeTitle: (name: string) => `Delete the key ${name}?`,
  removeText: 'Programs that use it are refused at once. A deleted key cannot be restored.',
  removed: (name: string) => `The key ${name} is deleted`,
  failedRemove: (name: string) => `The key ${name} was not deleted.`,
}

const ja: typeof en = {
  subtitle: '人のパスワードを使わずに、プログラムがこのサービスを利用するためのものです。',
  make: 'キーを作成',
  list: 'キーの一覧',
  none: 'キーはまだありません',
  noneText: 'キーを使うと、選んだ操作だけをプログラムに許可できます。',
  name: '名前',
  nameHint: '「夜間レポート」のように、使うプログラムの名前を付けます。',
  scopes: '許可する操作',
  groups: { todos: 'やること', members: '会員', changes: '変更履歴' },
  verbs: { read: '参照', create: '追加', update: '変更', delete: '削除', erase: '完全消去' },
  may: (verbs, group) => `${group}: ${verbs.join('・')}`,
  expiry: '有効期間',
  terms: { '30': '30 日', '90': '90 日', '365': '1 年', never: '無期限' },
  expires: (date) => `${date} まで有効`,
  expiresSoon: (ago, date) => `${ago}（${date}）に失効`,
  expired: (date) => `${date} に失効しました`,
  lasts: '無期限',
  used: (hour) => `最終使用 ${hour} からの 1 時間`,
  unused: '未使用',
  made: (date) => `${date} に作成`,
  madeTitle: (name) => `キー ${name}`,
  madeText:
    'いま控えてください。表示されるのはこの一度だけです。持っている人は誰でも許可した操作ができるため、パスワードと同じように扱ってください。',
  secret: 'キー',
  usage: 'リクエストごとに送るヘッダ:',
  done: '控えました',
  unanswered:
    'サービスから応答がありません。誰も持っていないキーができた可能性があります。一覧で確かめて削除してください。',
  remove: (name) => `キー ${name} を削除`,
  removeTitle: (name) => `キー ${name} を削除しますか？`,
  removeText: '使っているプログラムは直ちに拒否されます。削除したキーは元に戻せません。',
  removed: (name) => `キー ${name} を削除しました`,
  failedRemove: (name) => `キー ${name} は削除されませんでした。`,
}

const tables: Readonly<Record<Locale, typeof en>> = { en, ja }

export type KeyWords = typeof en

/** The texts of keys, which are loaded with them. */
export const useKeyWords = () => tables[useStore(locale)]
