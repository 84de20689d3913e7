import type { RefusalCode } from '#core/messages.ts'
import type { Explanation } from '#http/openapi/explanation.ts'

export const english: Readonly<Record<RefusalCode, Explanation>> = {
  'e.xx.fw.4001': {
    means: 'The service does not know who sent the request.',
    why: 'The request has no credentials, or the sign id, password or token is wrong or has expired.',
    cure: 'Send credentials of the kind that `WWW-Authenticate` names. A wrong sign id and a wrong password deliberately give the same response.',
  },
  'e.xx.fw.4003': {
    means: 'The request is not allowed.',
    why: "Members may not do this, the token lacks a scope, the path does not belong to the API, or the request used a host name (`Host`) that is not one of the service's own.",
    cure: 'Check the path and the host name; further names can be listed in `ALLOWED_HOSTS`. If both are right, ask an administrator, or request a token with the scope that `WWW-Authenticate` names.',
  },
  'e.xx.fw.5001': {
    means: 'There is nothing at this address.',
    why: 'The identifier is unknown or malformed, the item has been deleted, or the path is misspelt.',
    cure: 'Read the list again and use an identifier from it. Do not repeat the request unchanged.',
  },
  'e.xx.fw.6000': {
    means: 'The request is not valid HTTP.',
    why: 'The request line, a header field or the Host is malformed, missing or given twice, or the path or the query contains characters that must be percent-encoded.',
    cure: 'Use an ordinary HTTP library. If you already do, check the proxies between you and the service.',
  },
  'e.xx.fw.6001': {
    means: 'The path exists, but it does not support this method.',
    why: 'For example, PUT was sent to a list, or POST to an item.',
    cure: 'Use one of the methods in the `Allow` header field of the response.',
  },
  'e.xx.fw.6002': {
    means: 'The service cannot respond in the requested format.',
    why: '`Accept` or the suffix of the path names neither JSON nor XML.',
    cure: 'Accept `application/json` or `application/xml`, or use the path suffix `.json` or `.xml`.',
  },
  'e.xx.fw.6003': {
    means: 'The service cannot read a body of this type.',
    why: '`Content-Type`, its charset or `Content-Encoding` is missing or not supported. A PATCH needs `application/merge-patch+json`.',
    cure: 'Send one of the types that `Accept`, `Accept-Patch` or `Accept-Encoding` in the response names, in UTF-8.',
  },
  'e.xx.fw.6004': {
    means: 'The body is larger than the service accepts.',
    why: 'The body exceeds the limit, as sent or once decompressed. The default limit is 1 MiB.',
    cure: 'Send less in one request.',
  },
  'e.xx.fw.6005': {
    means: 'The address of the request is too long.',
    why: 'The path and the query together exceed 8 KiB.',
    cure: 'Shorten the query.',
  },
  'e.xx.fw.6006': {
    means: 'The header fields of the request are too large.',
    why: 'All fields together exceed 16 KiB, often because of cookies, which the service does not need.',
    cure: 'Send fewer and shorter header fields.',
  },
  'e.xx.fw.6007': {
    means: 'The request did not arrive in time.',
    why: 'The header fields took longer than 10 seconds, or the whole request longer than 30.',
    cure: 'Send the request again; nothing was done. If this happens often, check the network.',
  },
  'e.xx.fw.6008': {
    means: 'The service cannot meet the expectation in `Expect`.',
    why: 'The value of `Expect` is not `100-continue`.',
    cure: 'Omit the `Expect` header field.',
  },
  'e.xx.fw.7001': {
    means: 'The body is readable, but some of its values break a rule.',
    why: 'A required field is missing, too long, not in its code list or otherwise wrong. `details` has one entry for each failing field.',
    cure: 'Correct the field that each `target` names; the `code` and `message` next to it say which rule it breaks.',
  },
  'e.xx.fw.7002': {
    means: 'A query parameter or header field is readable, but breaks a rule.',
    why: 'It is out of range, given twice, not one of the allowed values, or a cursor that belongs to another list.',
    cure: 'Correct the parameter that each `target` in `details` names.',
  },
  'e.xx.fw.7003': {
    means: 'The body cannot be read.',
    why: 'It is empty, is malformed JSON or XML, or has an unknown field or a value of the wrong type.',
    cure: '`details` gives the position or the field. Values are never converted: a number is not accepted as a string.',
  },
  'e.xx.fw.7006': {
    means: 'A parameter cannot be converted to its type.',
    why: 'For example, `page=abc` was sent, or a date that does not exist.',
    cure: 'Send a value of the type that `details` names.',
  },
  'e.xx.fw.8001': {
    means: 'A business rule forbids this.',
    why: 'It conflicts with data that is already stored.',
    cure: 'Read the message, which says what it conflicts with.',
  },
  'e.xx.fw.8002': {
    means: 'Another request changed the same thing at the same moment.',
    why: 'Two changes collided, and the other one came first.',
    cure: 'Read the item again, and repeat the change if it still makes sense.',
  },
  'e.xx.fw.8003': {
    means: 'The item is not in the state that the request expects.',
    why: 'The current version does not satisfy `If-Match`, `If-None-Match` or `If-Unmodified-Since`: it has changed since it was read. Or the tag in `If-Match` is weak (`W/"…"`), and a weak tag never matches: the tags of lists are weak, and a proxy that compresses responses weakens those of items.',
    cure: 'Read the item again, compare it with your change, and send the change with the new `ETag`. If that tag is weak, let the service compress its responses instead of the proxy.',
  },
  'e.xx.fw.8004': {
    means: 'The service accepts a change only if the request names the version to be changed.',
    why: 'The request has no `If-Match`, and the service is set to require it.',
    cure: 'Read the item and send its `ETag` as `If-Match`.',
  },
  'e.xx.fw.8005': {
    means: 'The first request with this idempotency key is still being processed.',
    why: 'The request was repeated before the first response was ready.',
    cure: 'Wait as long as `Retry-After` says, then repeat the request with the same key to receive the stored response.',
  },
  'e.xx.fw.8006': {
    means: 'The idempotency key belongs to another request.',
    why: 'The key was used in the last 24 hours with a different body, type of body or query.',
    cure: 'Use a new key for every new request, and repeat a request unchanged.',
  },
  'e.xx.fw.9002': {
    means: 'The service cannot write to its storage at present.',
    why: 'The disk is full, or the database is restarting or unreachable. Usually nothing was changed. If the connection to the database was lost during the change, it was made either completely or not at all.',
    cure: 'Wait as long as `Retry-After` says, then repeat the request with the same `Idempotency-Key`, so that it is done only once. Without a key, read again first. Reading may still work.',
  },
  'e.xx.fw.9003': {
    means: 'Something failed inside the service.',
    why: 'The cause is written to the log of the service and is not shown.',
    cure: 'Report the `X-Track` of the response to the operators of the service. Read again before you repeat a change.',
  },
  'e.xx.fw.9004': {
    means: 'The service has more work than it can handle.',
    why: 'Too many requests are waiting, for example for their passwords to be checked.',
    cure: 'Wait as long as `Retry-After` says, and longer after each further attempt.',
  },
  'e.xx.fw.9005': {
    means: 'You have sent more requests than you may.',
    why: 'The limit on requests or on failed sign-ins has been reached.',
    cure: 'Wait as long as `Retry-After` says. `RateLimit` shows how much is left.',
  },
  'e.xx.fw.9006': {
    means: 'Your token cannot be checked at present.',
    why: 'The service does not have the keys of the authorization server yet, and that server does not respond.',
    cure: 'Wait as long as `Retry-After` says, then send the request again with the same token.',
  },
}
