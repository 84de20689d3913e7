import type { RefusalCode } from '#core/messages.ts'
import type { Explanation } from '#http/openapi/explanation.ts'

export const english: Readonly<Record<RefusalCode, Explanation>> = {
  'e.xx.fw.4001': {
    means: 'The service does not know who is asking.',
    why: 'The request has no credentials, or the sign id, password or token is wrong or has expired.',
    cure: 'Send the credentials that `WWW-Authenticate` names. A wrong sign id and a wrong password give the same answer on purpose.',
  },
  'e.xx.fw.4003': {
    means: 'This is not allowed.',
    why: 'A member may not do this, the token lacks a scope, the path does not belong to the API, or the service was asked under a name (`Host`) that is not its own.',
    cure: 'Check the path, and the name: others are listed in `ALLOWED_HOSTS`. If it is right, ask an administrator, or ask for a token with the scope that `WWW-Authenticate` names.',
  },
  'e.xx.fw.5001': {
    means: 'There is nothing at this address.',
    why: 'The identifier is unknown or malformed, the item has been deleted, or the path is misspelt.',
    cure: 'Read the list again and use an identifier from it. Do not repeat the request as it is.',
  },
  'e.xx.fw.6000': {
    means: 'The request is not valid HTTP.',
    why: 'The request line, a header field or the Host is malformed, missing or given twice, or the path or the query holds characters that must be percent-encoded.',
    cure: 'Use an ordinary HTTP library. If you do, look at proxies between you and the service.',
  },
  'e.xx.fw.6001': {
    means: 'The path is known, the method is not one of its own.',
    why: 'For example PUT was sent to a list, or POST to an item.',
    cure: 'Use one of the methods that the header field `Allow` of the answer names.',
  },
  'e.xx.fw.6002': {
    means: 'The service cannot answer in the form that was asked for.',
    why: '`Accept` or the suffix of the path names neither JSON nor XML.',
    cure: 'Accept `application/json` or `application/xml`, or use the suffix `.json` or `.xml`.',
  },
  'e.xx.fw.6003': {
    means: 'The service cannot read a body of this type.',
    why: '`Content-Type`, its charset or `Content-Encoding` is missing or not supported. A PATCH needs `application/merge-patch+json`.',
    cure: 'Send one of the types that `Accept`, `Accept-Patch` or `Accept-Encoding` of the answer names, in UTF-8.',
  },
  'e.xx.fw.6004': {
    means: 'The body is larger than the service takes.',
    why: 'The body, or what it becomes when it is unpacked, is over the limit: 1 MiB if nobody changed it.',
    cure: 'Send less in one request.',
  },
  'e.xx.fw.6005': {
    means: 'The address of the request is too long.',
    why: 'Path and query together are over 8 KiB.',
    cure: 'Shorten the query.',
  },
  'e.xx.fw.6006': {
    means: 'The header fields of the request are too large.',
    why: 'All fields together are over 16 KiB, often because of cookies, which the service does not need.',
    cure: 'Send fewer and shorter header fields.',
  },
  'e.xx.fw.6007': {
    means: 'The request did not arrive in time.',
    why: 'The header fields took longer than 10 seconds, or the whole request longer than 30.',
    cure: 'Send the request again; nothing was done. If it happens often, look at the network.',
  },
  'e.xx.fw.6008': {
    means: 'The service cannot do what `Expect` asks for.',
    why: '`Expect` says something other than `100-continue`.',
    cure: 'Leave the header field `Expect` out.',
  },
  'e.xx.fw.7001': {
    means: 'The body can be read, but some of its values break a rule.',
    why: 'A required field is missing, too long, not in its code list or otherwise wrong. `details` has one entry for each failing field.',
    cure: 'Correct the field that each `target` names, by the `code` and `message` beside it.',
  },
  'e.xx.fw.7002': {
    means: 'A query parameter or header field can be read, but breaks a rule.',
    why: 'It is out of range, given twice, not one of the allowed values, or a cursor that belongs to another list.',
    cure: 'Correct the parameter that each `target` in `details` names.',
  },
  'e.xx.fw.7003': {
    means: 'The body cannot be read.',
    why: 'It is empty, malformed JSON or XML, has a field that nobody knows, or a value of another type.',
    cure: 'Look at `details`: it says where, or which field. Nothing is converted: a number is no text.',
  },
  'e.xx.fw.7006': {
    means: 'A parameter cannot be converted to its type.',
    why: 'For example `page=abc`, or a date that does not exist.',
    cure: 'Send a value of the type that `details` names.',
  },
  'e.xx.fw.8001': {
    means: 'A rule of the business forbids this.',
    why: 'What is stored already stands against it.',
    cure: 'Read the message: it says what is in the way.',
  },
  'e.xx.fw.8002': {
    means: 'Another request changed the same thing at the same moment.',
    why: 'Two changes met, and the other one was faster.',
    cure: 'Read the item again, and repeat the change if it still makes sense.',
  },
  'e.xx.fw.8003': {
    means: 'The item is no longer as the request expects it.',
    why: '`If-Match`, `If-None-Match` or `If-Unmodified-Since` does not fit the present version: somebody changed it since it was read. Or the tag in `If-Match` is weak (`W/"…"`): such a tag never matches. Those of lists are weak, and a proxy that compresses answers makes those of items weak.',
    cure: 'Read the item again, compare it with your change, and send it with the new `ETag`. If that is weak, let the service compress, and not the proxy.',
  },
  'e.xx.fw.8004': {
    means: 'This service takes changes only of a version that is named.',
    why: 'The request has no `If-Match`, and the service is set to insist on it.',
    cure: 'Read the item and send its `ETag` as `If-Match`.',
  },
  'e.xx.fw.8005': {
    means: 'The first request with this idempotency key is still at work.',
    why: 'The request was repeated before its first answer was there.',
    cure: 'Wait as long as `Retry-After` says, and repeat it with the same key: the kept answer will come.',
  },
  'e.xx.fw.8006': {
    means: 'The idempotency key belongs to another request.',
    why: 'The key was used within 24 hours with another body, type of body or query.',
    cure: 'Make a new key for every new request; repeat a request as it was.',
  },
  'e.xx.fw.9002': {
    means: 'The service cannot write to its storage just now.',
    why: 'The disk is full, or the database is restarting or out of reach. Mostly nothing was changed; where the database went away amid the change, it is done as a whole or not at all.',
    cure: 'Wait as long as `Retry-After` says, and repeat the request with the same `Idempotency-Key`: it is done once. Without a key, read again first. Reading may still work.',
  },
  'e.xx.fw.9003': {
    means: 'Something failed within the service.',
    why: 'The cause is written in the log of the service, and not shown.',
    cure: 'Tell those who run the service the `X-Track` of the answer. Read again before you repeat a change.',
  },
  'e.xx.fw.9004': {
    means: 'The service has more to do than it can.',
    why: 'Too many requests wait, for example for their passwords to be checked.',
    cure: 'Wait as long as `Retry-After` says, and longer each time.',
  },
  'e.xx.fw.9005': {
    means: 'You have sent more requests than you may.',
    why: 'The limit of requests, or of failed sign-ins, is reached.',
    cure: 'Wait as long as `Retry-After` says. `RateLimit` tells how much is left.',
  },
  'e.xx.fw.9006': {
    means: 'Your token cannot be checked now.',
    why: 'The keys of the authorization server are not known yet, and it does not answer.',
    cure: 'Wait as long as `Retry-After` says, and send the request again with the same token.',
  },
}
