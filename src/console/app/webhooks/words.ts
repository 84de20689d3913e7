import { textsIn } from '#console/app/words/texts.ts'

export const webhookWords = textsIn({
  emptyText: `A webhook sends each change to another program: signed, in order, without gaps.
    Webhook は、変更を署名付きで、順番どおりに、漏れなくほかのプログラムに知らせます。`,
  hints: {
    url: ['The https address of the receiver.', '通知先のプログラムの https アドレスです。'],
    description: ['Such as “Search index”.', '「検索インデックス」など。'],
    values: ['Whether each change also contains the changed record.', '変更された記録の内容も送るかどうか。'],
  },
  off: ['Switched off', 'オフ'],
  delivering: ['Delivering', '配信中'],
  retrying: (since: string, why: string) => `Retrying since ${since}: ${why}
    ${since} から再試行中: ${why}`,
  disabled: (since: string, why: string) => `Disabled since ${since}: ${why}
    ${since} に配信を打ち切りました: ${why}`,
  lapsed: (since: string) => `
    Stopped since ${since}: the log no longer has the changes to send. Choose below from which change to continue.
    ${since} から停止中: 送るべき変更が残っていません。再開してください。`,
  waiting: (count: string) => [`${count} waiting`, `未送信 ${count} 件`],
  answered: (status: number) => [`it answered ${status}`, `応答は ${status}`],
  errors: {
    ENOTFOUND: ['its host is not known', 'ホストが見つかりません'],
    ECONNREFUSED: ['nothing listens at its address', 'アドレスで待ち受けているものがありません'],
    ECONNRESET: ['the connection was cut', '接続が切れました'],
    certificate: ['its certificate is not trusted', '証明書を信頼できません'],
    'no answer': ['it did not answer in time', '時間内に応答がありません'],
    redirects: ['redirects are not followed', '転送には従いません'],
    'no secret': ['it has no secret yet', 'シークレットがまだありません'],
    'not public': ['its address is not public', '公開されたアドレスではありません'],
  },
  after: (what: string, ms: string) => [`${what}, after ${ms} ms`, `${what}（${ms} ミリ秒）`],
  attempt: (count: number) => [`attempt ${count}`, `${count} 回目`],
  test: ['Test', 'テスト'],
  body: ['What was sent', '送信した内容'],
  bodyGone: `The log no longer has this change. Test events are never in the log.
    この変更はログに残っていません。テストは記録されません。`,
  resend: ['Send again', '再送'],
  switches: { off: ['Switch off', 'オフにする'], on: ['Switch on', 'オンにする'] },
  moves: {
    here: {
      title: ['With the next pending change', '次の未送信から'],
      meaning: ['Sends the next pending change at once.', '次の未送信の変更を直ちに送ります。'],
    },
    latest: {
      title: ['With new changes only', '新しい変更だけ'],
      meaning: `Skips all pending changes. Only changes made from now on are sent.
        未送信の変更は送りません。これから起きる変更だけを送ります。`,
    },
    oldest: {
      title: ['From the oldest change', '最も古い変更から'],
      meaning: `Sends every change that is still in the log, including those sent before.
        残っている変更を、送信済みのものも含めてすべて送ります。`,
    },
  },
  removeText: `No more changes are sent, and the list of its deliveries is deleted.
    今後は何も送られず、配信の記録も消えます。`,
  continueFrom: ['Continue sending', '配信を再開'],
  deliveries: ['Deliveries', '配信の記録'],
})

export type WebhookWords = ReturnType<typeof webhookWords>
