import { bodyInvalid, Problem } from '#core/problem.ts'
import { errorTable } from '#core/words.ts'

export const webhookCodes = { tooManyWebhooks: 'e.xx.wh.8001' } as const

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
  PublicUrl: {
    en: `"{target}" must be an https address of a public host, without a user and on no port of another service.
      A webhook has an address that may not be called.
      It is not https, names a user, its host is private, loopback or link-local, or its port is one of another service, such as 22 or 25.
      Use an https address, best on port 443. Whoever runs the service can name a private host in \`WEBHOOK_HOSTS\`; http is for a loopback host named there.`,
    ja: `"{target}" は利用者名を含まず、別のサービスのポートを使わない、公開ホストのhttpsアドレスでなければなりません。
      Webhookのアドレスは呼び出しが許可されていません。
      httpsでないか、利用者名を含むか、ホストがプライベート、ループバック、リンクローカルのいずれかであるか、ポートが22や25など別のサービスのものです。
      httpsのアドレスを、できればポート443で使用してください。プライベートなホストは運用者が \`WEBHOOK_HOSTS\` に指定できます。httpはそこに指定されたループバックのホストに限ります。`,
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

export const tooManyWebhooks = (max: number) =>
  new Problem('business', { messages: [{ code: webhookCodes.tooManyWebhooks, args: { max } }] })

export const urlNotPublic = { code: 'PublicUrl', target: 'url' }

export const cursorUnknown = () => bodyInvalid([{ code: 'ChangeCursor', target: 'after' }])
