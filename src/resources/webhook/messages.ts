import { errorTable } from '#core/error-table.ts'
import { bodyInvalid, Problem, type ResolvedMessage, refused } from '#core/problem.ts'
import { badPortOf } from './addresses.ts'

export const webhookCodes = {
  tooManyWebhooks: 'e.xx.wh.8001',
  tooManySecrets: 'e.xx.wh.8002',
  changeNotKept: 'e.xx.wh.8003',
  neverInLog: 'e.xx.wh.8004',
} as const

export const webhookErrors = errorTable({
  [webhookCodes.tooManyWebhooks]: {
    en: `There are {max} webhooks already.
      There are as many webhooks as the service delivers to.
      Each has a connection of its own, so their number is limited.
      Delete one that is not needed, or let one receiver pass on what it gets.`,
    ja: `Webhookはすでに {max} 件あります。
      配信できるWebhookの数が上限に達しています。
      Webhookごとに接続を使うため、件数に上限があります。
      不要なWebhookを削除するか、一つの受信側から転送してください。`,
  },
  [webhookCodes.tooManySecrets]: {
    en: `The webhook has {max} former secrets that still sign.
      A new secret was made as often as is allowed within 24 hours.
      Each former secret signs for 24 hours, and every delivery carries a signature of each.
      Use the newest secret, or wait until a former one has ended.`,
    ja: `Webhookには、まだ有効な以前のシークレットが {max} 件あります。
      24時間以内に作成できるシークレットの数が上限に達しています。
      以前のシークレットはそれぞれ24時間有効で、配信ごとにすべての署名が付きます。
      最新のシークレットを使用するか、以前のものが失効するまで待ってください。`,
  },
  [webhookCodes.changeNotKept]: {
    en: `The change of this delivery is not kept, so it cannot be sent again.
      What was sent is made again from the log of changes, and the change is not there.
      It is older than the changes that are kept, or an earlier release sent it.
      Let the receiver read the lists.`,
    ja: `この配信の変更は残っていないため、再送できません。
      送信した内容は変更ログから作り直しますが、その変更がログにありません。
      保持期間を過ぎたか、以前のリリースが送信したものです。
      受信側で一覧を取得してください。`,
  },
  [webhookCodes.neverInLog]: {
    en: `A {type} is made for one webhook and is not in the log of changes, so it is not sent again.
      What was sent is made again from the log of changes, which never has a test or a reset.
      The delivery was a test or a reset, not a change of a record.
      Send a new test with \`POST /webhooks/<id>/test\`. A reset needs nothing: the service sends it until the receiver accepts it.`,
    ja: `{type} は一つのWebhookのために作られ、変更ログに残らないため、再送されません。
      送信した内容は変更ログから作り直しますが、テストとリセットはログに残りません。
      この配信はテストまたはリセットであり、レコードの変更ではありません。
      \`POST /webhooks/<id>/test\` で新しいテストを送信してください。リセットは、受信側が受け付けるまでサービスが送信します。`,
  },
  PublicUrl: {
    en: `"{target}" must be an https address without a user, of a public host or of one that \`WEBHOOK_HOSTS\` names.
      A webhook has an address that may not be called.
      It is not https, names a user, or its host is private, loopback or link-local.
      Use an https address of a public host. Whoever runs the service can name a private host in \`WEBHOOK_HOSTS\`; http is for a loopback host named there.`,
    ja: `"{target}" は利用者名を含まない、公開ホストまたは \`WEBHOOK_HOSTS\` に指定されたホストのhttpsアドレスでなければなりません。
      Webhookのアドレスは呼び出しが許可されていません。
      httpsでないか、利用者名を含むか、ホストがプライベート、ループバック、リンクローカルのいずれかです。
      公開ホストのhttpsアドレスを使用してください。プライベートなホストは運用者が \`WEBHOOK_HOSTS\` に指定できます。httpはそこに指定されたループバックのホストに限ります。`,
  },
  UrlPort: {
    en: `"{target}" must not have port {port}, which belongs to another protocol.
      A webhook has an address whose port is not called.
      The port is one that the Fetch standard blocks, such as 22 (SSH) or 25 (mail). No setting allows it.
      Let the receiver listen on another port, best on 443.`,
    ja: `"{target}" に、別のプロトコルのポート {port} は使用できません。
      Webhookのアドレスのポートは呼び出されません。
      22（SSH）や25（メール）など、Fetch標準で禁止されているポートです。設定で許可することはできません。
      受信側で別のポート、できれば443を使用してください。`,
  },
  RightToRead: {
    en: `The caller lacks the right to read what is sent: {missing}.
      The caller may change webhooks, but not read what this webhook sends.
      A webhook with \`values\` sends whole records, and the body of a delivery shows a change or a record.
      Leave out \`values\`, or use a key or token that has these scopes too.`,
    ja: `送信される内容を読み取る権限がありません: {missing}。
      Webhookの変更は許可されていますが、このWebhookが送信する内容の読み取りは許可されていません。
      \`values\` を指定したWebhookはレコード全体を送信し、配信の本文は変更またはレコードを示します。
      \`values\` を省略するか、これらのスコープも持つキーまたはトークンを使用してください。`,
  },
  ChangeCursor: {
    en: `"{target}" must be a cursor of the log of changes, \`latest\` or \`oldest\`.
      The text is no cursor that the service has given for this.
      It was cut or changed, or belongs to another filter than the webhook's types.
      Send a \`Change-Cursor\`, the \`cursor\` of an answer of \`/changes\`, \`latest\`, \`oldest\`, or null to go on where it stands.`,
    ja: `"{target}" は変更ログのカーソル、\`latest\` または \`oldest\` でなければなりません。
      サービスが発行したカーソルではありません。
      途中で切れているか変更されているか、Webhookの種類とは別の絞り込みのものです。
      \`Change-Cursor\`、\`/changes\` の応答の \`cursor\`、\`latest\`、\`oldest\`、または現在位置から続けるためのnullを送信してください。`,
  },
})

export const tooManyWebhooks = (max: number) => refused(webhookCodes.tooManyWebhooks, { max })

export const tooManySecrets = (max: number) => refused(webhookCodes.tooManySecrets, { max })

export const changeNotKept = () => refused(webhookCodes.changeNotKept)

export const neverInLog = (type: string) => refused(webhookCodes.neverInLog, { type })

export const mayNotSend = (missing: readonly string[]) =>
  new Problem('forbidden', { details: [{ code: 'RightToRead', args: { missing: missing.join(', ') } }] })

/** Why no webhook may have this address. */
export const urlRefused = (url: string): ResolvedMessage => {
  const port = badPortOf(url)
  return port === undefined
    ? { code: 'PublicUrl', target: 'url' }
    : { code: 'UrlPort', target: 'url', args: { port } }
}

export const cursorUnknown = () => bodyInvalid([{ code: 'ChangeCursor', target: 'after' }])
