import { textsIn } from '#console/app/words/index.ts'

const en = {
  subtitle: 'Addresses of other programs that are told of each change as it happens.',
  make: 'New webhook',
  none: 'No webhooks yet',
  noneText: 'A webhook tells another program of each change: signed, in order, and none left out.',
  hints: { url: 'An https address of the program that is told.', description: 'Such as “Search index”.' },
  values: 'Send the record, too',
  unanswered: 'No answer from the service. If there is a new webhook in the list now, give it a new secret.',
  secretTitle: (name: string) => `The secret of ${name}`,
  secretText: 'Copy it now: it is shown only once. By it the receiver knows who has sent a change.',
  off: 'Switched off',
  delivering: 'Delivering',
  retrying: (since: string, why: string) => `Trying again since ${since}, because ${why}`,
  disabled: (since: string, why: string) => `Given up since ${since}, because ${why}`,
  lapsed: (since: string) => `Stopped since ${since}: what it should get is not kept here. Let it go on.`,
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
  turns: { off: 'Switch off', on: 'Switch on' },
  deeds: {
    here: ['With the next that waits', 'The next change that waits is sent at once.'],
    latest: [
      'With new changes only',
      'What waits is left out: the next change to be sent is yet to be made.',
    ],
    oldest: ['From the oldest change', 'Every change that is kept is sent, also those that it has had.'],
    renew: [
      'New secret',
      'The old one also signs for 24 hours: give the new one to the receiver until then.',
    ],
    remove: ['Delete', 'It gets nothing any more, and what is known of its deliveries goes, too.'],
  } as Readonly<Record<Deed, readonly [title: string, means: string]>>,
  goOn: 'Go on sending',
  deliveries: 'Deliveries',
}

/** What is asked before it is done. */
export type Deed = 'here' | 'latest' | 'oldest' | 'renew' | 'remove'

const ja: typeof en = {
  subtitle: '変更があるたびに通知する、ほかのプログラムのアドレスです。',
  make: 'Webhook を作成',
  none: 'Webhook はまだありません',
  noneText: 'Webhook は、変更を署名付きで、順番どおりに、漏れなくほかのプログラムに知らせます。',
  hints: { url: '通知先のプログラムの https アドレスです。', description: '「検索インデックス」など。' },
  values: '内容も送る',
  unanswered:
    'サービスから応答がありません。一覧に新しい Webhook があれば、新しいシークレットを発行してください。',
  secretTitle: (name) => `${name} のシークレット`,
  secretText: 'いま控えてください。表示されるのは一度だけです。受信側は、これで送信元を確かめます。',
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
  turns: { off: 'オフにする', on: 'オンにする' },
  deeds: {
    here: ['次の未送信から', '次の未送信の変更を直ちに送ります。'],
    latest: ['新しい変更だけ', '未送信の変更は送りません。これから起きる変更だけを送ります。'],
    oldest: ['最も古い変更から', '残っている変更を、送信済みのものも含めてすべて送ります。'],
    renew: [
      'シークレットを再発行',
      '古いものも 24 時間は有効です。その間に新しいものを受信側に設定してください。',
    ],
    remove: ['削除', '今後は何も送られず、配信の記録も消えます。'],
  },
  goOn: '配信を再開',
  deliveries: '配信の記録',
}

export type WebhookWords = typeof en

/** The texts of webhooks, which are loaded with them. */
export const useWebhookWords = textsIn({ en, ja })
