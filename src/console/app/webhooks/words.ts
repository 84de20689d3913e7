import { textsIn } from '#console/app/words/index.ts'

const en = {
  emptyText: 'A webhook sends each change to another program: signed, in order, without gaps.',
  hints: {
    url: 'The https address of the receiver.',
    description: 'Such as “Search index”.',
    values: 'Whether the record is sent, too.',
  },
  off: 'Switched off',
  delivering: 'Delivering',
  retrying: (since: string, why: string) => `Retrying since ${since}: ${why}`,
  disabled: (since: string, why: string) => `Disabled since ${since}: ${why}`,
  lapsed: (since: string) =>
    `Stopped since ${since}: the changes to send are no longer kept. Continue sending below.`,
  waiting: (count: string) => `${count} waiting`,
  answered: (status: number) => `it answered ${status}`,
  errors: {
    ENOTFOUND: 'its host is not known',
    ECONNREFUSED: 'nothing listens at its address',
    ECONNRESET: 'the connection was cut',
    certificate: 'its certificate is not trusted',
    'no answer': 'it did not answer in time',
    redirects: 'redirects are not followed',
    'no secret': 'it has no secret yet',
    'not public': 'its address is not public',
  },
  after: (what: string, ms: string) => `${what}, after ${ms} ms`,
  attempt: (count: number) => `attempt ${count}`,
  test: 'Test',
  body: 'What was sent',
  bodyGone: 'The log no longer has this change. Tests are never kept in it.',
  resend: 'Send again',
  turns: { off: 'Switch off', on: 'Switch on' },
  moves: {
    here: ['With the next pending change', 'Sends the next pending change at once.'],
    latest: ['With new changes only', 'Skips all pending changes. Only changes made from now on are sent.'],
    oldest: ['From the oldest change', 'Sends every change that is kept, including those sent before.'],
  } as Readonly<Record<'here' | 'latest' | 'oldest', readonly [title: string, means: string]>>,
  removeText: 'No more changes are sent, and the list of its deliveries is deleted.',
  goOn: 'Continue sending',
  deliveries: 'Deliveries',
}

const ja: typeof en = {
  emptyText: 'Webhook は、変更を署名付きで、順番どおりに、漏れなくほかのプログラムに知らせます。',
  hints: {
    url: '通知先のプログラムの https アドレスです。',
    description: '「検索インデックス」など。',
    values: '変更された記録の内容も送るかどうか。',
  },
  off: 'オフ',
  delivering: '配信中',
  retrying: (since, why) => `${since} から再試行中: ${why}`,
  disabled: (since, why) => `${since} に配信を打ち切りました: ${why}`,
  lapsed: (since) => `${since} から停止中: 送るべき変更が残っていません。再開してください。`,
  waiting: (count) => `未送信 ${count} 件`,
  answered: (status) => `応答は ${status}`,
  errors: {
    ENOTFOUND: 'ホストが見つかりません',
    ECONNREFUSED: 'アドレスで待ち受けているものがありません',
    ECONNRESET: '接続が切れました',
    certificate: '証明書を信頼できません',
    'no answer': '時間内に応答がありません',
    redirects: '転送には従いません',
    'no secret': 'シークレットがまだありません',
    'not public': '公開されたアドレスではありません',
  },
  after: (what, ms) => `${what}（${ms} ミリ秒）`,
  attempt: (count) => `${count} 回目`,
  test: 'テスト',
  body: '送信した内容',
  bodyGone: 'この変更はログに残っていません。テストは記録されません。',
  resend: '再送',
  turns: { off: 'オフにする', on: 'オンにする' },
  moves: {
    here: ['次の未送信から', '次の未送信の変更を直ちに送ります。'],
    latest: ['新しい変更だけ', '未送信の変更は送りません。これから起きる変更だけを送ります。'],
    oldest: ['最も古い変更から', '残っている変更を、送信済みのものも含めてすべて送ります。'],
  },
  removeText: '今後は何も送られず、配信の記録も消えます。',
  goOn: '配信を再開',
  deliveries: '配信の記録',
}

export type WebhookWords = typeof en

/** The texts of webhooks, which are loaded with them. */
export const webhookWords = textsIn({ en, ja })
