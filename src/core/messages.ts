import { errorTable, messagesOf } from './error-table.ts'

/** The refusals of all resources, and their details, each with message, meaning, cause and cure. `Pattern.oneOf` is another message for `Pattern`. */
export const commonErrors = errorTable({
  'e.xx.fw.4001': {
    en: `Authentication is required.
      The service does not know who sent the request.
      The request has no credentials, or the sign id, password or token is wrong or has expired.
      Send credentials of the kind that \`WWW-Authenticate\` names. A wrong sign id and a wrong password deliberately give the same response.`,
    ja: `認証が必要です。
      サービスはリクエストの送信者を確認できません。
      資格情報がないか、サインID、パスワード、トークンが誤っているか、期限切れです。
      \`WWW-Authenticate\` が示す方式の資格情報を送信してください。サインIDの誤りとパスワードの誤りは、意図的に同じ応答になります。`,
  },
  'e.xx.fw.4003': {
    en: `Access is denied.
      The request is not allowed.
      The caller lacks the right, the token lacks a scope, the path does not belong to the API, or the service does not accept the host name in \`Host\`.
      Check the path and the host name. The setting \`ALLOWED_HOSTS\` can add host names. If both are right, ask an administrator for the right, or request a token with the scope that \`WWW-Authenticate\` names.`,
    ja: `アクセスが拒否されました。
      この操作は許可されていません。
      呼び出し元に権限がないか、トークンのスコープが不足しているか、APIに属さないパスか、サービスのものではない名前（\`Host\`）への要求です。
      パスと名前（\`ALLOWED_HOSTS\`）を確認してください。正しい場合は管理者に依頼するか、\`WWW-Authenticate\` が示すスコープを持つトークンを取得してください。`,
  },
  'e.xx.fw.5001': {
    en: `Resource not found.
      There is nothing at this address.
      The identifier is unknown or malformed, the item has been deleted, or the path is misspelt.
      Read the list again and use an identifier from the list. Do not repeat the request unchanged.`,
    ja: `リソースが見つかりません。
      このアドレスには何もありません。
      IDが存在しないか形式が誤っている、すでに削除されている、またはパスの誤りです。
      一覧を再取得し、その中のIDを使用してください。同じリクエストを繰り返さないでください。`,
  },
  'e.xx.fw.5002': {
    en: `The changes after this cursor are no longer available.
      Some of the changes after this cursor are missing, so the service shows none of them.
      The changes after the cursor have been deleted because of their age. Or the cursor was issued before the database was restored from a backup, or before a failover that lost changes.
      The \`Link\` header field names the lists. Read them again, and continue from the \`Change-Cursor\` in their responses.`,
    ja: `このカーソル以降の変更は利用できません。
      このカーソルの続きを、欠落なく示すことはできません。
      保持期間より古いか、別の履歴（復元や、データを失ったフェイルオーバーの前など）のカーソルです。
      \`Link\` が示す一覧を再取得し、その \`Change-Cursor\` から続けてください。`,
  },
  'e.xx.fw.6000': {
    en: `HTTP request format error occurred.
      The request is not valid HTTP.
      The request line, a header field or the Host is malformed, missing or given twice, or the path or the query contains characters that must be percent-encoded.
      Use an ordinary HTTP library. If you already do, check the proxies between you and the service.`,
    ja: `HTTPリクエストの形式に誤りがあります。
      リクエストがHTTPとして正しくありません。
      リクエスト行、ヘッダ、Hostの形式が誤っているか、欠けているか、重複しています。または、パスかクエリにパーセントエンコードが必要な文字があります。
      一般的なHTTPライブラリを使用してください。使用している場合は、途中のプロキシを確認してください。`,
  },
  'e.xx.fw.6001': {
    en: `Request method is not supported.
      The path exists, but it does not support this method.
      For example, PUT was sent to a list, or POST to an item.
      Use one of the methods in the \`Allow\` header field of the response.`,
    ja: `リクエストメソッドはサポートされていません。
      パスは存在しますが、このメソッドには対応していません。
      一覧へのPUT、項目へのPOSTなどが原因です。
      応答の \`Allow\` ヘッダが示すメソッドを使用してください。`,
  },
  'e.xx.fw.6002': {
    en: `Response format requested is not supported.
      The service cannot respond in the requested format.
      \`Accept\` or the suffix of the path names neither JSON nor XML.
      Accept \`application/json\` or \`application/xml\`, or use the path suffix \`.json\` or \`.xml\`.`,
    ja: `要求されたレスポンス形式はサポートされていません。
      要求された形式では応答できません。
      \`Accept\` またはパスの拡張子がJSONでもXMLでもありません。
      \`application/json\` か \`application/xml\` を指定するか、拡張子 \`.json\` か \`.xml\` を使用してください。`,
  },
  'e.xx.fw.6003': {
    en: `Content type of the request is not supported.
      The service cannot read a body of this type.
      \`Content-Type\`, its charset or \`Content-Encoding\` is missing or not supported. A PATCH needs \`application/merge-patch+json\`.
      The response lists the supported types in \`Accept\`, \`Accept-Patch\` or \`Accept-Encoding\`. Send one of them, in UTF-8.`,
    ja: `リクエストのコンテンツタイプはサポートされていません。
      この種類のボディは読み取れません。
      \`Content-Type\`、文字セット、\`Content-Encoding\` がないか対応していません。PATCHには \`application/merge-patch+json\` が必要です。
      応答の \`Accept\`、\`Accept-Patch\`、\`Accept-Encoding\` が示す種類をUTF-8で送信してください。`,
  },
  'e.xx.fw.6004': {
    en: `Request body is too large.
      The body is larger than the service accepts.
      The body exceeds the limit, either as sent or after decompression. The default limit is 1 MiB.
      Send less in one request.`,
    ja: `リクエストボディが大きすぎます。
      ボディがサービスの上限を超えています。
      ボディ、または展開後のサイズが上限を超えています。既定値は1MiBです。
      一度に送信する量を減らしてください。`,
  },
  'e.xx.fw.6005': {
    en: `Request target is too long.
      The address of the request is too long.
      The path and the query together exceed 8 KiB.
      Shorten the query.`,
    ja: `リクエストのURLが長すぎます。
      リクエストのURLが長すぎます。
      パスとクエリの合計が8KiBを超えています。
      クエリを短くしてください。`,
  },
  'e.xx.fw.6006': {
    en: `Request header fields are too large.
      The header fields of the request are too large.
      All fields together exceed 16 KiB, often because of cookies, which the service does not need.
      Send fewer and shorter header fields.`,
    ja: `リクエストヘッダが大きすぎます。
      リクエストヘッダが大きすぎます。
      ヘッダの合計が16KiBを超えています。サービスが使用しないCookieが原因となることがよくあります。
      ヘッダの数と長さを減らしてください。`,
  },
  'e.xx.fw.6007': {
    en: `Request did not arrive in time.
      The request did not arrive in time.
      The header fields took longer than 10 seconds, or the whole request longer than 30.
      Send the request again; nothing was done. If this happens often, check the network.`,
    ja: `リクエストが時間内に届きませんでした。
      リクエストが制限時間内に届きませんでした。
      ヘッダの受信に10秒、またはリクエスト全体の受信に30秒を超えました。
      何も実行されていないため、再送してください。頻発する場合はネットワークを確認してください。`,
  },
  'e.xx.fw.6008': {
    en: `Expectation of the request cannot be met.
      The service cannot meet the expectation in \`Expect\`.
      The value of \`Expect\` is not \`100-continue\`.
      Omit the \`Expect\` header field.`,
    ja: `リクエストのExpectヘッダに応じられません。
      \`Expect\` ヘッダの要求に応じられません。
      \`Expect\` の値が \`100-continue\` ではありません。
      \`Expect\` ヘッダを外してください。`,
  },
  'e.xx.fw.7001': {
    en: `Validation error occurred on item in the request body.
      The body is readable, but some of its values break a rule.
      A required field is missing, too long, not in its code list or otherwise wrong. \`details\` has one entry for each failing field.
      Correct the field that each \`target\` names. The \`code\` and \`message\` beside the \`target\` say which rule the field breaks.`,
    ja: `リクエストボディの項目に入力エラーがあります。
      ボディは読み取れましたが、規則に反する値があります。
      必須項目の欠落、長さの超過、コードリスト外の値などです。\`details\` に誤りのある項目が一件ずつ示されます。
      \`target\` が示す項目を、その \`code\` と \`message\` に従って修正してください。`,
  },
  'e.xx.fw.7002': {
    en: `Validation error occurred on item in the request parameters.
      A query parameter or header field is readable, but breaks a rule.
      The parameter is given twice, or its value is out of range, not one of the allowed values, or a cursor of another list.
      Correct the parameter that each \`target\` in \`details\` names.`,
    ja: `リクエストパラメータの項目に入力エラーがあります。
      クエリパラメータまたはヘッダに、規則に反する値があります。
      範囲外、重複指定、許可されていない値、または別の一覧のカーソルです。
      \`details\` の \`target\` が示すパラメータを修正してください。`,
  },
  'e.xx.fw.7003': {
    en: `Request body format error occurred.
      The body cannot be read.
      The body is empty, is malformed JSON or XML, has an unknown field, or has a value of the wrong type.
      \`details\` gives the position or the field. Values are never converted: a number is not accepted as a string.`,
    ja: `リクエストボディの形式に誤りがあります。
      ボディを読み取れません。
      空のボディ、JSONまたはXMLの構文誤り、未知の項目、型の異なる値が原因です。
      \`details\` に位置または項目が示されます。型の変換は行われません。数値は文字列として扱われません。`,
  },
  'e.xx.fw.7006': {
    en: `Type mismatch error occurred in request parameter, header or path variable.
      A parameter cannot be converted to its type.
      For example, \`page=abc\` was sent, or a date that does not exist.
      Send a value of the type that \`details\` names.`,
    ja: `リクエストパラメータ、ヘッダまたはパス変数の型に誤りがあります。
      パラメータを所定の型に変換できません。
      \`page=abc\` や、存在しない日付などです。
      \`details\` が示す型の値を送信してください。`,
  },
  'e.xx.fw.8001': {
    en: `Business rule violation occurred.
      A business rule forbids the request.
      The request conflicts with data that is already stored.
      Read the message: it names the conflict.`,
    ja: `業務ルール違反が発生しました。
      業務ルールにより実行できません。
      すでに保存されている内容と両立しません。
      メッセージを確認してください。原因が示されています。`,
  },
  'e.xx.fw.8002': {
    en: `Conflict with other processing occurred.
      The change conflicts with another request or with another record.
      Another request changed or locked the same record at the same time. Or a detail names another cause: a value that another record already has, or a reference between records.
      Correct what \`details\` names. Without such a detail, read the record again, and repeat the change if it still makes sense.`,
    ja: `他の処理と競合しました。
      変更が、別のリクエストまたは別のレコードと競合しました。
      同じレコードが同時に別のリクエストによって変更またはロックされました。または、\`details\` に別の原因（他のレコードが使用している値、レコード間の参照）が示されています。
      \`details\` が示す内容を修正してください。示されていない場合は、レコードを再取得し、必要であれば変更をやり直してください。`,
  },
  'e.xx.fw.8003': {
    en: `Precondition of the request is not met by the current state of the resource.
      The item is not in the state that the request expects.
      Either the item has changed since it was read, so it does not satisfy \`If-Match\`, \`If-None-Match\` or \`If-Unmodified-Since\`. Or the tag in \`If-Match\` is weak (\`W/"…"\`), and a weak tag never matches. The tags of lists are always weak. The tag of an item becomes weak if a proxy compresses the response.
      Read the item again, compare it with your change, and send the change with the new \`ETag\`. If that tag is weak, turn off compression in the proxy: the service can compress its responses itself.`,
    ja: `リソースの現在の状態がリクエストの前提条件を満たしていません。
      項目の状態がリクエストの前提と異なります。
      \`If-Match\`、\`If-None-Match\`、\`If-Unmodified-Since\` が現在の版と一致しません。取得後に変更されています。または、\`If-Match\` のタグが弱いタグ（\`W/"…"\`）です。弱いタグは決して一致しません。一覧のタグは弱く、応答を圧縮するプロキシは項目のタグも弱いものに変えます。
      項目を再取得して変更内容と比較し、新しい \`ETag\` を付けて送信してください。その \`ETag\` が弱い場合は、プロキシではなくサービスに圧縮させてください。`,
  },
  'e.xx.fw.8004': {
    en: `Precondition is required. Send If-Match with the ETag that was read.
      The service accepts a change only if the request names the version that it changes.
      The request has no \`If-Match\`, and the service is set to require it.
      Read the item and send its \`ETag\` as \`If-Match\`.`,
    ja: `前提条件が必要です。取得したETagをIf-Matchで送信してください。
      このサービスでは、変更する版を指定する必要があります。
      \`If-Match\` が必須に設定されていますが、リクエストに含まれていません。
      項目を取得し、その \`ETag\` を \`If-Match\` として送信してください。`,
  },
  'e.xx.fw.8005': {
    en: `A request with the same idempotency key is being processed.
      The first request with this idempotency key is still being processed.
      The request was repeated before the first response was ready.
      Wait as long as \`Retry-After\` says, then repeat the request with the same key. The service then sends the stored response.`,
    ja: `同じ冪等キーのリクエストを処理中です。
      同じ冪等キーの最初のリクエストを処理中です。
      最初の応答より前にリクエストが再送されました。
      \`Retry-After\` の時間だけ待ち、同じキーで再送してください。保存された応答が返ります。`,
  },
  'e.xx.fw.8006': {
    en: `Idempotency key was used for another request.
      The idempotency key belongs to another request.
      The key was used in the last 24 hours with a different body, content type or query.
      Use a new key for every new request. When you repeat a request with its key, change nothing in the request.`,
    ja: `冪等キーは別のリクエストで使用されています。
      この冪等キーは別のリクエストで使用されています。
      24時間以内に、異なるボディ、ボディの形式、またはクエリで使用されたキーです。
      新しいリクエストには新しいキーを使用し、再送時はまったく同じリクエストを送信してください。`,
  },
  'e.xx.fw.8007': {
    en: `Batch was not performed because one of its operations was refused.
      One operation of an atomic batch was refused, so none was done.
      The first detail gives the position of the operation, counted from 0, and the code of its refusal. The other details give the reasons.
      Correct or leave out that operation, and send the batch again. You can use the same \`Idempotency-Key\`.`,
    ja: `一括処理の操作の一つが拒否されたため、どの操作も実行されませんでした。
      アトミックな一括処理の操作の一つが拒否され、すべて取り消されました。
      最初の詳細が、0から数えた操作の位置と拒否の理由を示し、残りの詳細がその原因を示します。
      その操作を修正するか取り除き、一括処理を再送してください。同じ \`Idempotency-Key\` を使用できます。`,
  },
  'e.xx.fw.8008': {
    en: `Request was done before, and its secret is not stored.
      The request with this idempotency key was already carried out, and the service does not carry it out again.
      The first response contained a secret, which is shown once and not stored. The request was repeated, for example because that response was lost.
      If you lost the secret, delete what was created, or request a new secret. Use a new idempotency key.`,
    ja: `リクエストは実行済みで、そのシークレットは保存されていません。
      この冪等キーのリクエストは実行済みです。再度の実行はしていません。
      応答には一度だけ表示され保存されないシークレットが含まれていました。その応答を受け取れなかったなどの理由で再送されました。
      シークレットを失った場合は、新しい冪等キーで、作成されたものを削除するか、新しいシークレットを作成してください。`,
  },
  'e.xx.fw.9002': {
    en: `Storage is temporarily unavailable.
      The service cannot write to its storage at present.
      The disk is full, or the database is restarting or unreachable. Usually nothing was changed. If the connection to the database was lost during the change, the change was made either completely or not at all.
      Wait as long as \`Retry-After\` says, then repeat the request. With the same \`Idempotency-Key\`, the change is made only once. Without a key, first read whether the change was made. Reading may work even now.`,
    ja: `ストレージが一時的に利用できません。
      現在、ストレージに書き込めません。
      ディスクの空き不足、またはデータベースの再起動や接続不能です。通常、変更は行われていません。変更の途中で接続が失われた場合は、すべて行われたか、まったく行われていないかのどちらかです。
      \`Retry-After\` の時間だけ待ち、同じ \`Idempotency-Key\` で再送してください。変更は一度だけ行われます。キーがない場合は、先に状態を確認してください。読み取りは可能な場合があります。`,
  },
  'e.xx.fw.9003': {
    en: `System error occurred.
      Something failed inside the service.
      The cause is written to the log of the service and is not shown.
      Report the \`X-Track\` of the response to the operators of the service. Before you repeat a change, read whether it was made.`,
    ja: `システムエラーが発生しました。
      サービス内部で障害が発生しました。
      原因はサービスのログに記録され、応答には示されません。
      応答の \`X-Track\` を運用担当者に伝えてください。変更を再送する前に状態を確認してください。`,
  },
  'e.xx.fw.9004': {
    en: `Service is temporarily overloaded.
      The service has more work than it can handle.
      Too many requests are waiting, for example for their passwords to be checked.
      Wait as long as \`Retry-After\` says, and longer after each further attempt.`,
    ja: `サービスが一時的に過負荷の状態です。
      サービスの処理能力を超えています。
      パスワードの検証などで待機中のリクエストが多すぎます。
      \`Retry-After\` の時間だけ待ち、再試行のたびに間隔を延ばしてください。`,
  },
  'e.xx.fw.9005': {
    en: `Too many requests.
      The caller has reached a limit.
      The limit is either on all requests or on failed sign-ins.
      Wait as long as \`Retry-After\` says. \`RateLimit\` shows how many requests are left.`,
    ja: `リクエストが多すぎます。
      リクエスト数が上限に達しました。
      リクエスト数またはサインイン失敗回数の上限です。
      \`Retry-After\` の時間だけ待ってください。残りは \`RateLimit\` に示されます。`,
  },
  'e.xx.fw.9006': {
    en: `Authorization server cannot be reached at present.
      Your token cannot be checked at present.
      The service does not have the keys of the authorization server yet, and that server does not respond.
      Wait as long as \`Retry-After\` says, then send the request again with the same token.`,
    ja: `認可サーバーに一時的に接続できません。
      トークンを現在確認できません。
      認可サーバーの鍵を取得しておらず、認可サーバーが応答しません。
      \`Retry-After\` の時間だけ待ってから、同じトークンで再送してください。`,
  },
  NotNull: {
    en: `"{target}" must not be null.
      A required field has no value.
      The field is missing or null.
      Send a value.`,
    ja: `"{target}" は必須です。
      必須項目に値がありません。
      項目が欠けているか、null です。
      値を送信してください。`,
  },
  NotEmpty: {
    en: `"{target}" must not be empty.
      A parameter has no value.
      The value is empty.
      Send a value, or omit the parameter.`,
    ja: `"{target}" は空にできません。
      指定されたパラメータが空です。
      値が空です。
      値を指定するか、パラメータを外してください。`,
  },
  Null: {
    en: `"{target}" must be null or unchanged.
      This request cannot change the field.
      The value differs from the value that the service shows.
      Omit the field, or send it exactly as it was read. The message names the request that can change the field.`,
    ja: `"{target}" は null か、取得した値のままでなければなりません。
      この項目はここでは変更できません。
      サービスが示す値と異なります。
      省略するか、取得した値をそのまま送信してください。変更に使用するリクエストはメッセージに示されます。`,
  },
  'Null.asShown': {
    en: '"{target}" must be null or unchanged. Use {change} to change it.',
    ja: '"{target}" は null か、取得した値のままでなければなりません。変更には {change} を使用してください。',
  },
  Size: {
    en: `"{target}" size must be between {min} and {max}.
      A string or a list is too short or too long.
      The length of a string is counted in Unicode code points.
      Keep within the limits given in the message.`,
    ja: `"{target}" の長さは {min} から {max} まででなければなりません。
      文字列またはリストが短すぎるか長すぎます。
      文字数はコードポイント単位で数えられます。
      メッセージが示す範囲に収めてください。`,
  },
  Min: {
    en: `"{target}" must be greater than or equal to {min}.
      A number is too small.
      The number is below the minimum.
      Send at least the minimum given in the message.`,
    ja: `"{target}" は {min} 以上でなければなりません。
      数値が小さすぎます。
      許可された最小値を下回っています。
      メッセージが示す値以上を指定してください。`,
  },
  Max: {
    en: `"{target}" must be less than or equal to {max}.
      A number is too large.
      The number is above the maximum.
      Send at most the maximum given in the message.`,
    ja: `"{target}" は {max} 以下でなければなりません。
      数値が大きすぎます。
      許可された最大値を上回っています。
      メッセージが示す値以下を指定してください。`,
  },
  Pattern: {
    en: `"{target}" has a value that is not allowed.
      A value is not allowed.
      The value is an unknown name, a cursor from another list, a page number that is too large, an unsupported content type, a Host that no URL could contain, or a string with control characters that XML cannot represent.
      Use a value that the message or the API documentation allows, without control characters.`,
    ja: `"{target}" に許可されていない値があります。
      許可されていない値です。
      未知の名前、別の一覧のカーソル、大きすぎるページ番号、受け付けられないボディの種類、URLに使えないHost、またはXMLで表せない制御文字が含まれています。
      メッセージまたはリファレンスに示された値を使用し、制御文字を除いてください。`,
  },
  'Pattern.oneOf': {
    en: '"{target}" must be one of {allowed}.',
    ja: '"{target}" は {allowed} のいずれかでなければなりません。',
  },
  'Pattern.order': {
    en: '"{target}" must be one of {allowed}, optionally followed by ",asc" or ",desc".',
    ja: '"{target}" は {allowed} のいずれかでなければなりません。後に ",asc" または ",desc" を付けられます。',
  },
  'Pattern.max': {
    en: '"{target}" must be less than or equal to {max}.',
    ja: '"{target}" は {max} 以下でなければなりません。',
  },
  'Pattern.cursor': {
    en: '"{target}" must be empty or the cursor from the link "next" of the same list.',
    ja: '"{target}" は空か、同じ一覧のリンク "next" が示す値でなければなりません。',
  },
  'Pattern.changeCursor': {
    en: '"{target}" must be "latest" or a cursor from a request with the same "types" and "id".',
    ja: '"{target}" は "latest" か、同じ条件で取得したカーソルでなければなりません。',
  },
  'Pattern.batch': {
    en: '"{target}" must be the path of an operation that is allowed in a batch.',
    ja: '"{target}" は一括処理の操作にできる変更を指さなければなりません。',
  },
  'Pattern.prefix': {
    en: '"{target}" must begin with {prefix}/.',
    ja: '"{target}" は {prefix}/ で始まらなければなりません。',
  },
  'Pattern.beside': {
    en: '"{target}" must not be given together with "{other}".',
    ja: '"{target}" は "{other}" と同時に指定できません。',
  },
  'Pattern.granted': {
    en: '"{target}" must not grant rights that the caller does not have: {excess}.',
    ja: '"{target}" に、呼び出し元に許可されていない操作は指定できません: {excess}。',
  },
  'Pattern.twice': {
    en: '"{target}" must not contain the same value twice.',
    ja: '"{target}" に同じものを重複して指定できません。',
  },
  'Pattern.mediaType': {
    en: '"{target}" must be one of {allowed}, in UTF-8.',
    ja: '"{target}" は {allowed} のいずれか（UTF-8）でなければなりません。',
  },
  Past: {
    en: `"{target}" must be a past date.
      A date must be in the past.
      The date is today or later, in the time zone of the service.
      Send a date before today.`,
    ja: `"{target}" は過去の日付でなければなりません。
      過去の日付でなければなりません。
      サービスのタイムゾーンで今日以降の日付です。
      今日より前の日付を送信してください。`,
  },
  Future: {
    en: `"{target}" must be in the future.
      A time must be in the future.
      The time has already passed.
      Send a later time, with its offset from UTC.`,
    ja: `"{target}" は未来の日時でなければなりません。
      未来の日時でなければなりません。
      現在以前の日時です。
      オフセットを付けて、より後の日時を送信してください。`,
  },
  Email: {
    en: `"{target}" must be a well-formed email address.
      A value is not an e-mail address.
      The value has no @, or the text before or after the @ is malformed.
      Send an address such as \`john@example.com\`.`,
    ja: `"{target}" はメールアドレスの形式でなければなりません。
      メールアドレスの形式ではありません。
      @ がないか、前後の形式が誤っています。
      \`john@example.com\` のようなアドレスを送信してください。`,
  },
  ExistInCodeList: {
    en: `"{target}" must exist in code list of {codeList}.
      A code is not in its code list.
      Codes are strings and are compared exactly.
      Use one of the codes that the API documentation lists.`,
    ja: `"{target}" はコードリスト {codeList} に存在しなければなりません。
      コードがコードリストにありません。
      コードは文字列として完全一致で比較されます。
      リファレンスに示されたコードを使用してください。`,
  },
  Once: {
    en: `"{target}" must be given only once.
      A parameter or a header field was given more than once.
      Only one value is allowed.
      Send the parameter or the header field once.`,
    ja: `"{target}" は一度だけ指定できます。
      パラメータまたはヘッダが複数回指定されています。
      値は一つだけ指定できます。
      一度だけ指定してください。`,
  },
  Reference: {
    en: `"{target}" refers to a {what} that does not exist.
      A record refers to another record that does not exist.
      The id is unknown, or that record has been deleted.
      Use the id of a record that exists.`,
    ja: `"{target}" が参照する {what} は存在しません。
      レコードが、存在しない別のレコードを参照しています。
      IDが存在しないか、参照先のレコードが削除されています。
      存在するレコードのIDを使用してください。`,
  },
  'Reference.unknown': {
    en: 'No {what} has the {fields} "{value}".',
    ja: '{fields}が「{value}」の{what}は見つかりません。',
  },
  'Reference.several': {
    en: 'Several {many} have the {fields} "{value}": give the id of one.',
    ja: '{fields}が「{value}」の{what}が複数見つかりました。IDを指定してください。',
  },
  'Reference.broken': {
    en: 'The record refers to a record that does not exist, or another record refers to this one.',
    ja: '参照先が存在しないか、ほかから参照されています。',
  },
  'Reference.used': {
    en: 'A {what} refers to this record by "{field}".',
    ja: '{what} が "{field}" で参照しています。',
  },
  'Reference.usedDependent': {
    en: 'A {what} refers by "{field}" to a {dependent} that would also be deleted.',
    ja: '同時に削除される {dependent} を {what} が "{field}" で参照しています。',
  },
  'Reference.many': {
    en: 'More than {max} records would be deleted together with this record.',
    ja: '同時に {max} 件を超えるレコードが削除されることになります。',
  },
  Unique: {
    en: `Another {what} has the same "{target}".
      A value that only one record may have is taken.
      Another record has the same value. Upper and lower case count as the same, and so do full-width and half-width characters.
      Use another value, or change the other record first.`,
    ja: `"{target}" の値は別の {what} が使用しています。
      ひとつのレコードだけが持てる値が、すでに使われています。
      大文字と小文字や全角と半角の違いを除いて同じ値のレコードがあります。
      別の値を使うか、先にそのレコードを変更してください。`,
  },
  Unknown: {
    en: `"{target}" is not a known parameter.
      A parameter is not known.
      Every DELETE and every request with \`Prefer: handling=strict\` refuse unknown parameters. Or a member used a filter on a field that is hidden in other members.
      Check the spelling of the parameter, omit the preference, or ask an administrator.`,
    ja: `"{target}" は未知のパラメータです。
      未知のパラメータです。
      DELETEと、\`Prefer: handling=strict\` を指定したリクエストは未知のパラメータを拒否します。または、会員が他の会員について参照できない項目で絞り込んでいます。
      綴りを確認するか、Preferの指定を外すか、管理者に依頼してください。`,
  },
  TypeMismatch: {
    en: `"{target}" must be of type {expected}.
      A parameter has the wrong type.
      A number, a date or a boolean was expected.
      Send a value of the type given in the message.`,
    ja: `"{target}" の型は {expected} でなければなりません。
      パラメータの型が異なります。
      数値、日付、真偽値などが必要です。
      メッセージが示す型の値を送信してください。`,
  },
  'TypeMismatch.instant': {
    en: '"{target}" must be a date (yyyy-MM-dd) or a time with milliseconds and an offset (yyyy-MM-ddTHH:mm:ss.SSS+hh:mm or Z).',
    ja: '"{target}" は日付（yyyy-MM-dd）、またはミリ秒とオフセットを含む日時（yyyy-MM-ddTHH:mm:ss.SSS+hh:mm または Z）でなければなりません。',
  },
  'TypeMismatch.day': {
    en: '"{target}" must be a day of the year (MM-dd).',
    ja: '"{target}" は月日（MM-dd）でなければなりません。',
  },
  ChangedMeanwhile: {
    en: `"{target}" {id} was changed or locked by another request at the same time.
      The named resource was changed or locked by another request at the same time.
      Both requests started from the same version, or the other request had locked the resource.
      Read the resource again, and repeat your change if it is still needed.`,
    ja: `"{target}" {id} は同時に別のリクエストによって変更または使用されていました。
      示された対象が、同時に別のリクエストによって変更または使用されていました。
      両方のリクエストが同じ版から始まったか、もう一方が対象をロックしていました。
      再取得し、必要であれば変更をやり直してください。`,
  },
  'ChangedMeanwhile.list': {
    en: 'Part of "{target}" was locked by another request at the same time.',
    ja: '"{target}" の一部は同時に別のリクエストによって使用されていました。',
  },
  KeyInUse: {
    en: `"{target}" identifies a request that has not been answered yet.
      The first request with this idempotency key has not been answered yet.
      The request was repeated before the response arrived.
      Wait as long as \`Retry-After\` says, then send the request again with the same key.`,
    ja: `"{target}" が示すリクエストにはまだ応答していません。
      この冪等キーの最初のリクエストには、まだ応答していません。
      応答が届く前にリクエストが再送されました。
      \`Retry-After\` の時間だけ待ち、同じキーで再送してください。`,
  },
  UnknownField: {
    en: `"{target}" is not a known field.
      The body has an unknown field.
      The name of the field is misspelt, or the field belongs to another resource.
      Remove the field, or correct its name.`,
    ja: `"{target}" は未知の項目です。
      ボディに未知の項目があります。
      綴りの誤りか、別の対象の項目です。
      項目を削除するか、名前を修正してください。`,
  },
  WrongType: {
    en: `"{target}" must be of type {expected}.
      A field has the wrong type.
      Values are never converted: \`"1"\` is a string, \`1\` is a number.
      Send a value of the type given in the message.`,
    ja: `"{target}" の型は {expected} でなければなりません。
      項目の型が異なります。
      型の変換は行われません。\`"1"\` は文字列、\`1\` は数値です。
      メッセージが示す型の値を送信してください。`,
  },
  'WrongType.string': {
    en: '"{target}" must be a string.',
    ja: '"{target}" は文字列でなければなりません。',
  },
  'WrongType.stringOrNull': {
    en: '"{target}" must be a string or null.',
    ja: '"{target}" は文字列または null でなければなりません。',
  },
  'WrongType.boolean': {
    en: '"{target}" must be a boolean.',
    ja: '"{target}" は真偽値でなければなりません。',
  },
  'WrongType.booleanOrNull': {
    en: '"{target}" must be a boolean or null.',
    ja: '"{target}" は真偽値または null でなければなりません。',
  },
  'WrongType.object': {
    en: '"{target}" must be an object.',
    ja: '"{target}" はオブジェクトでなければなりません。',
  },
  'WrongType.objectOrNull': {
    en: '"{target}" must be an object or null.',
    ja: '"{target}" はオブジェクトまたは null でなければなりません。',
  },
  'WrongType.date': {
    en: '"{target}" must be a date (yyyy-MM-dd).',
    ja: '"{target}" は日付（yyyy-MM-dd）でなければなりません。',
  },
  'WrongType.dateTime': {
    en: '"{target}" must be a time (yyyy-MM-ddTHH:mm:ss.SSSZ).',
    ja: '"{target}" は日時（yyyy-MM-ddTHH:mm:ss.SSSZ）でなければなりません。',
  },
  'WrongType.whole': {
    en: '"{target}" must be a whole number.',
    ja: '"{target}" は整数でなければなりません。',
  },
  'WrongType.wholeOrNull': {
    en: '"{target}" must be a whole number or null.',
    ja: '"{target}" は整数または null でなければなりません。',
  },
  'WrongType.id': {
    en: '"{target}" must be the id of a record (a UUID).',
    ja: '"{target}" はレコードの ID（UUID）でなければなりません。',
  },
  EmptyBody: {
    en: `The body is empty.
      The body is empty.
      The request needs a body, but it has none.
      Send a body.`,
    ja: `ボディが空です。
      ボディが空です。
      ボディが必要ですが、送信されていません。
      ボディを送信してください。`,
  },
  NotAnObject: {
    en: `The body must be an object.
      The body is not an object.
      The body is a list, a string, a number or null.
      Send an object: \`{ … }\`.`,
    ja: `ボディはオブジェクトでなければなりません。
      ボディがオブジェクトではありません。
      配列、文字列、数値、または null です。
      オブジェクト \`{ … }\` を送信してください。`,
  },
  Syntax: {
    en: `Syntax error at line {line}, column {column}.
      The body is malformed.
      The body contains a character that is not allowed at its position.
      Look at the line and column given in the message.`,
    ja: `{line} 行 {column} 列目を解釈できません。
      ボディの構文に誤りがあります。
      不正な位置に文字があります。
      メッセージが示す行と列を確認してください。`,
  },
  TrailingData: {
    en: `Text after the end of the value at line {line}, column {column}.
      There is text after the end of the body.
      Two documents were sent, or there is an extra bracket.
      End the body where its value ends.`,
    ja: `{line} 行 {column} 列目で、値の後に余分な文字があります。
      ボディの終わりの後に余分な文字があります。
      二つの文書が送信されたか、括弧が余分です。
      値の終わりでボディを終了してください。`,
  },
  DuplicateName: {
    en: `"{target}" occurs twice at line {line}, column {column}.
      A name occurs twice in one object.
      The service does not guess which of the two values is meant.
      Use each name once.`,
    ja: `{line} 行 {column} 列目で "{target}" が重複しています。
      一つのオブジェクト内で名前が重複しています。
      どちらが有効か判断できません。
      一度だけ記述してください。`,
  },
  TooDeep: {
    en: `Nested deeper than {max} levels at line {line}, column {column}.
      The body is nested too deeply.
      No resource needs so many levels.
      Send data with fewer levels.`,
    ja: `{line} 行 {column} 列目で、入れ子が {max} 段を超えています。
      ボディの入れ子が深すぎます。
      これほどの階層を必要とするリソースはありません。
      階層を浅くしてください。`,
  },
  TooMany: {
    en: `More than {max} values at line {line}, column {column}.
      The body has too many values.
      No resource has so many fields.
      Send only the fields of the resource.`,
    ja: `{line} 行 {column} 列目で、要素の数が {max} を超えています。
      ボディの値が多すぎます。
      これほど多くのフィールドを持つリソースはありません。
      リソースのフィールドだけを送信してください。`,
  },
  TooLong: {
    en: `Longer than {max} characters.
      The XML body has too many characters.
      No resource is so long, and parsing so many characters would delay other requests.
      Send only the fields of the resource.`,
    ja: `{max} 文字を超えています。
      XML ボディの文字数が多すぎます。
      これほど長いリソースはなく、読み込むと他のリクエストを待たせます。
      リソースのフィールドだけを送信してください。`,
  },
  NullCharacter: {
    en: `NUL character at line {line}, column {column}.
      The body contains a NUL character.
      Strings must not contain NUL characters.
      Remove the NUL character.`,
    ja: `{line} 行 {column} 列目に NUL 文字があります。
      ボディに NUL 文字があります。
      文字列に NUL は使用できません。
      取り除いてください。`,
  },
  LoneSurrogate: {
    en: `Lone surrogate at line {line}, column {column}.
      The body contains half a character.
      One surrogate of a pair is missing, often because an emoji was cut in two.
      Cut strings only between characters.`,
    ja: `{line} 行 {column} 列目に不正なサロゲートがあります。
      ボディに不完全な文字があります。
      サロゲートが単独で存在します。絵文字が途中で切れていることがよくあります。
      文字の境界で文字列を切ってください。`,
  },
  NumberRange: {
    en: `Number out of range at line {line}, column {column}.
      A number is out of range.
      The number exceeds the range of double precision, about ±1.8 × 10³⁰⁸.
      Send a smaller number.`,
    ja: `{line} 行 {column} 列目の数値が範囲外です。
      数値が範囲外です。
      倍精度浮動小数点数で表せる範囲（約 ±1.8 × 10³⁰⁸）を超えています。
      より小さい数値を送信してください。`,
  },
  Encoding: {
    en: `Not UTF-8 at line {line}, column {column}.
      The body is not encoded as UTF-8.
      Its bytes are not valid UTF-8, or its XML declaration names another encoding.
      Encode the body as UTF-8. The message gives the line and column of the first invalid byte.`,
    ja: `{line} 行 {column} 列目は UTF-8 ではありません。
      ボディのバイト列が宣言と一致しません。
      UTF-8として正しくないか、XML宣言が別の文字エンコーディングを示しています。
      UTF-8で符号化してください。最初の誤りの行と列がメッセージに示されます。`,
  },
  Compression: {
    en: `The body is not valid gzip.
      The body cannot be decompressed.
      \`Content-Encoding\` says gzip, but the bytes are not valid gzip.
      Compress the body with gzip, or send it uncompressed and without \`Content-Encoding\`.`,
    ja: `ボディは gzip として正しくありません。
      ボディを展開できません。
      \`Content-Encoding\` はgzipですが、バイト列がgzipとして正しくありません。
      gzipで正しく圧縮するか、圧縮せず \`Content-Encoding\` を付けずに送信してください。`,
  },
  Missing: {
    en: `"{target}" must be sent.
      A header field is missing.
      HTTP/1.1 requires this header field in every request.
      Send the header field. HTTP libraries send it automatically.`,
    ja: `"{target}" を送信しなければなりません。
      必要なヘッダがありません。
      HTTP/1.1では、すべてのリクエストに必要です。
      送信してください。HTTPライブラリは自動的に送信します。`,
  },
  Chunk: {
    en: `The body is not divided into valid chunks.
      The body is not divided into chunks as HTTP requires.
      \`Transfer-Encoding: chunked\` was sent, but the size of a chunk is not a hexadecimal number, differs from the length of the chunk, or is not on a separate line.
      Let an HTTP library write the chunks, or send \`Content-Length\` instead.`,
    ja: `ボディのチャンクの形式に誤りがあります。
      ボディがHTTPのチャンクとして正しくありません。
      \`Transfer-Encoding: chunked\` が送信されましたが、サイズが16進数でないか、チャンクの長さと異なるか、独立した行にありません。
      HTTPライブラリにチャンクを作成させるか、\`Content-Length\` を送信してください。`,
  },
  Unencoded: {
    en: `The request target contains characters that must be percent-encoded.
      The path or the query contains a character that is not allowed in a URL.
      Spaces, non-ASCII letters, \`"\`, \`<\`, \`>\` and \`#\` must be percent-encoded.
      Encode each value, for example with \`encodeURIComponent\` or \`curl --get --data-urlencode\`.`,
    ja: `URLにパーセントエンコードが必要な文字が含まれています。
      パスまたはクエリに、URLに使えない文字が含まれています。
      空白、ASCII以外の文字、\`"\`、\`<\`、\`>\`、\`#\` はパーセントエンコードが必要です。
      \`encodeURIComponent\` や \`curl --get --data-urlencode\` で値をエンコードしてください。`,
  },
  Doctype: {
    en: `A document type is not allowed at line {line}, column {column}.
      The XML has a document type declaration.
      Document types are never read, because they can be harmful.
      Remove the \`<!DOCTYPE …>\`.`,
    ja: `{line} 行 {column} 列目: 文書型宣言は許可されていません。
      XMLに文書型宣言があります。
      文書型宣言は安全のため読み取られません。
      \`<!DOCTYPE …>\` を取り除いてください。`,
  },
  ProcessingInstruction: {
    en: `A processing instruction is not allowed at line {line}, column {column}.
      The XML has a processing instruction.
      The service executes no processing instructions.
      Remove the \`<?…?>\`. The XML declaration at the beginning may stay.`,
    ja: `{line} 行 {column} 列目: 処理命令は許可されていません。
      XMLに処理命令があります。
      処理命令は実行されません。
      \`<?…?>\` を取り除いてください。先頭のXML宣言は残せます。`,
  },
  Attribute: {
    en: `Line {line}, column {column}: only the attribute xsi:nil is allowed.
      The XML has an attribute that is not allowed.
      Only \`xsi:nil\` has a meaning.
      Send values as elements.`,
    ja: `{line} 行 {column} 列目: 属性は xsi:nil のみ許可されています。
      XMLに属性があります。
      意味を持つ属性は \`xsi:nil\` だけです。
      値は要素として送信してください。`,
  },
  Entity: {
    en: `Unknown entity at line {line}, column {column}.
      The XML has an unknown entity reference.
      Only the five predefined entities of XML and numeric character references are known.
      Write the character itself.`,
    ja: `{line} 行 {column} 列目に未知の実体参照があります。
      XMLに未知の実体参照があります。
      XML標準の五つと数値参照だけが使用できます。
      文字をそのまま記述してください。`,
  },
  MixedContent: {
    en: `Text mixed with elements is not allowed at line {line}, column {column}.
      The XML has text next to elements.
      An element may contain either text or elements.
      Remove the text.`,
    ja: `{line} 行 {column} 列目: 要素と文字列を混在させることはできません。
      XMLで要素と文字列が混在しています。
      要素は文字列か子要素のどちらか一方だけを持ちます。
      文字列を取り除いてください。`,
  },
  WrongRoot: {
    en: `The root element must be {expected}.
      The XML does not have the expected root element.
      The root element belongs to another resource.
      Use the root element given in the message.`,
    ja: `ルート要素は {expected} でなければなりません。
      XMLのルート要素が異なります。
      別のリソースの文書です。
      メッセージが示すルート要素を使用してください。`,
  },
})

export const commonMessages = messagesOf(commonErrors)

/** A code, or a name such as `Pattern.oneOf` for another message of a code. */
export type MessageName = keyof typeof commonErrors

export type RefusalCode = Extract<MessageName, `e.${string}`>

export type DetailCode = Exclude<MessageName, `${string}.${string}`>
