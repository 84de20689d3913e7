import { textsIn } from '#console/app/words/index.ts'
import type { KeyScope } from '#resources/key/declaration.ts'

/** A scope of the service without a word does not compile. */
type GroupWords = { readonly [S in KeyScope as S extends `${infer Group}:${string}` ? Group : never]: string }
type VerbWords = { readonly [S in KeyScope as S extends `${string}:${infer Verb}` ? Verb : never]: string }

const en = {
  subtitle: 'For programs that use this service without a person’s password.',
  make: 'New key',
  none: 'No keys yet',
  noneText: 'A key lets a program do what you choose, and nothing else.',
  name: 'Name',
  nameHint: 'Which program it is for, such as “Nightly report”.',
  scopes: 'What it may do',
  groups: {
    todos: 'Todos',
    members: 'Members',
    changes: 'Changes',
    webhooks: 'Webhooks',
  } satisfies GroupWords,
  verbs: {
    read: 'read',
    create: 'add',
    update: 'change',
    delete: 'delete',
    erase: 'erase',
  } satisfies VerbWords,
  expiry: 'Valid for',
  terms: { '30': '30 days', '90': '90 days', '365': 'a year', '0': 'no limit' },
  expires: (date: string) => `Until ${date}`,
  expiresSoon: (ago: string, date: string) => `Ends ${ago}, on ${date}`,
  expired: (date: string) => `Expired on ${date}`,
  lasts: 'Does not expire',
  used: (hour: string) => `last used in the hour from ${hour}`,
  unused: 'never used',
  madeBy: (name: string) => `made by ${name}`,
  renew: 'New secret',
  renewTitle: (name: string) => `A new secret for the key ${name}?`,
  renewText: 'The old secret is good for 24 hours more: give the new one to the program until then.',
  failedRenew: (name: string) => `The key ${name} has no new secret.`,
  orphaned: {
    suspended: 'made by a member who is suspended',
    demoted: 'made by a member who is no longer an administrator',
    removed: 'made by a member who was removed',
  },
  madeTitle: (name: string) => `The key ${name}`,
  madeText: 'Copy it now: it is shown only once. Whoever has it may do what it permits.',
  secret: 'Key',
  unanswered: 'No answer from the service. If there is a new key in the list now, delete it: nobody has it.',
  remove: (name: string) => `Delete the key ${name}`,
  removeText: 'Programs that use it are refused at once. A deleted key cannot be restored.',
  failedRemove: (name: string) => `The key ${name} was not deleted.`,
}

const ja: typeof en = {
  subtitle: '人のパスワードを使わずに、プログラムがこのサービスを利用するためのものです。',
  make: 'キーを作成',
  none: 'キーはまだありません',
  noneText: 'キーを使うと、選んだ操作だけをプログラムに許可できます。',
  name: '名前',
  nameHint: '「夜間レポート」のように、使うプログラムの名前を付けます。',
  scopes: '許可する操作',
  groups: { todos: 'やること', members: '会員', changes: '変更履歴', webhooks: 'Webhook' },
  verbs: { read: '参照', create: '追加', update: '変更', delete: '削除', erase: '完全消去' },
  expiry: '有効期間',
  terms: { '30': '30 日', '90': '90 日', '365': '1 年', '0': '無期限' },
  expires: (date) => `${date} まで有効`,
  expiresSoon: (ago, date) => `${ago}（${date}）に失効`,
  expired: (date) => `${date} に失効しました`,
  lasts: '無期限',
  used: (hour) => `最終使用 ${hour} からの 1 時間`,
  unused: '未使用',
  madeBy: (name) => `作成者: ${name}`,
  renew: 'シークレットを再発行',
  renewTitle: (name) => `キー ${name} のシークレットを再発行しますか？`,
  renewText: '古いシークレットもあと 24 時間は有効です。その間に新しいものをプログラムに設定してください。',
  failedRenew: (name) => `キー ${name} のシークレットは再発行されませんでした。`,
  orphaned: {
    suspended: '作成した会員は停止中です',
    demoted: '作成した会員は管理者ではなくなりました',
    removed: '作成した会員は削除されました',
  },
  madeTitle: (name) => `キー ${name}`,
  madeText: 'いま控えてください。表示されるのは一度だけです。持っている人は誰でも許可した操作ができます。',
  secret: 'キー',
  unanswered:
    'サービスから応答がありません。一覧に新しいキーがあれば、誰も持っていないため削除してください。',
  remove: (name) => `キー ${name} を削除`,
  removeText: '使っているプログラムは直ちに拒否されます。削除したキーは元に戻せません。',
  failedRemove: (name) => `キー ${name} は削除されませんでした。`,
}

export type KeyWords = typeof en

/** The texts of keys, which are loaded with them. */
export const useKeyWords = textsIn({ en, ja })
