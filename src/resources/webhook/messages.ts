import { errorTable } from '#core/error-table.ts'
import { bodyInvalid, type CodedMessage, Problem, refused } from '#core/problem.ts'
import { blockedPortOf } from './addresses.ts'

export const webhookCodes = {
  tooManyWebhooks: 'e.xx.wh.8001',
  tooManySecrets: 'e.xx.wh.8002',
  changeNotKept: 'e.xx.wh.8003',
  neverInLog: 'e.xx.wh.8004',
} as const

export const webhookErrors = errorTable({
  [webhookCodes.tooManyWebhooks]: {
    en: `There are {max} webhooks already.
      The maximum number of webhooks is reached.
      Each webhook uses a connection of its own, so their number is limited.
      Delete a webhook that is not needed, or let one receiver forward the changes to others.`,
    ja: `Webhookはすでに {max} 件あります。
      配信できるWebhookの数が上限に達しています。
      Webhookごとに接続を使うため、件数に上限があります。
      不要なWebhookを削除するか、一つの受信側から転送してください。`,
  },
  [webhookCodes.tooManySecrets]: {
    en: `The webhook has {max} former secrets that still sign.
      A webhook can get at most {max} new secrets in 24 hours.
      Deliveries are signed with each former secret for 24 hours, so the number of former secrets is limited.
      Use the newest secret, or wait until a former secret has expired.`,
    ja: `Webhookには、まだ有効な以前のシークレットが {max} 件あります。
      24時間以内に作成できるシークレットの数が上限に達しています。
      以前のシークレットはそれぞれ24時間有効で、配信ごとにすべての署名が付きます。
      最新のシークレットを使用するか、以前のものが失効するまで待ってください。`,
  },
  [webhookCodes.changeNotKept]: {
    en: `The change of this delivery is no longer in the log of changes, so it cannot be sent again.
      The body of a delivery is rebuilt from the log of changes, and the log does not contain the change.
      The change was older than the log keeps, or the delivery was sent by a release without such a log.
      Let the receiver read the lists of the records again, such as \`GET /members\`.`,
    ja: `この配信の変更は残っていないため、再送できません。
      送信した内容は変更ログから作り直しますが、その変更がログにありません。
      保持期間を過ぎたか、以前のリリースが送信したものです。
      受信側で一覧を取得してください。`,
  },
  [webhookCodes.neverInLog]: {
    en: `A {type} is made for one webhook and is not in the log of changes, so it cannot be sent again.
      The body of a delivery is rebuilt from the log of changes, which never contains a test or a reset.
      The delivery was a test or a reset, not a change of a record.
      Send a new test with \`POST /webhooks/<id>/test\`. For a reset, do nothing: the service sends it until the receiver accepts it.`,
    ja: `{type} は一つのWebhookのために作られ、変更ログに残らないため、再送されません。
      送信した内容は変更ログから作り直しますが、テストとリセットはログに残りません。
      この配信はテストまたはリセットであり、レコードの変更ではありません。
      \`POST /webhooks/<id>/test\` で新しいテストを送信してください。リセットは、受信側が受け付けるまでサービスが送信します。`,
  },
  PublicUrl: {
    en: `"{target}" must be an https address of a public host, or of a host in \`WEBHOOK_HOSTS\`, and must not contain a user name.
      The service may not send changes to this address.
      The address is not https, contains a user name, or has a host that is private, loopback or link-local.
      Use an https address of a public host. The operator of the service can name a private host in \`WEBHOOK_HOSTS\`; http is only for a loopback host named there.`,
    ja: `"{target}" は利用者名を含まない、公開ホストまたは \`WEBHOOK_HOSTS\` に指定されたホストのhttpsアドレスでなければなりません。
      Webhookのアドレスは呼び出しが許可されていません。
      httpsでないか、利用者名を含むか、ホストがプライベート、ループバック、リンクローカルのいずれかです。
      公開ホストのhttpsアドレスを使用してください。プライベートなホストは運用者が \`WEBHOOK_HOSTS\` に指定できます。httpはそこに指定されたループバックのホストに限ります。`,
  },
  UrlPort: {
    en: `"{target}" must not have port {port}, which belongs to another protocol.
      The service does not send changes to this port.
      The Fetch standard blocks the port, as it does 22 (SSH) and 25 (mail). No setting allows it.
      Let the receiver listen on another port, preferably 443.`,
    ja: `"{target}" に、別のプロトコルのポート {port} は使用できません。
      Webhookのアドレスのポートは呼び出されません。
      22（SSH）や25（メール）など、Fetch標準で禁止されているポートです。設定で許可することはできません。
      受信側で別のポート、できれば443を使用してください。`,
  },
  RightToRead: {
    en: `The caller lacks the right to read what is sent: {missing}.
      The caller may change webhooks, but not read what this webhook sends.
      A webhook with \`values\` sends whole records. Reading or resending a delivery shows the change or the record in it.
      Leave out \`values\`, or use a key or token that has these scopes too.`,
    ja: `送信される内容を読み取る権限がありません: {missing}。
      Webhookの変更は許可されていますが、このWebhookが送信する内容の読み取りは許可されていません。
      \`values\` を指定したWebhookはレコード全体を送信し、配信の本文は変更またはレコードを示します。
      \`values\` を省略するか、これらのスコープも持つキーまたはトークンを使用してください。`,
  },
  ChangeCursor: {
    en: `"{target}" must be a cursor of the log of changes, \`latest\` or \`oldest\`.
      The service has not issued this cursor for the changes of this webhook.
      The cursor was truncated or altered, or it was issued for other types than those of the webhook.
      Send the value of a \`Change-Cursor\` header, the field \`cursor\` of an answer to \`GET /changes\`, \`latest\`, \`oldest\`, or null to keep the position.`,
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

export const missingRights = (missing: readonly string[]) =>
  new Problem('forbidden', { details: [{ code: 'RightToRead', args: { missing: missing.join(', ') } }] })

/** The reason why a webhook may not have this URL. */
export const urlRefusal = (url: string): CodedMessage => {
  const port = blockedPortOf(url)
  return port === undefined
    ? { code: 'PublicUrl', target: 'url' }
    : { code: 'UrlPort', target: 'url', args: { port } }
}

export const unknownCursor = () => bodyInvalid([{ code: 'ChangeCursor', target: 'after' }])
