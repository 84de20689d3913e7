import type { DetailCode } from '#core/messages.ts'
import type { Explanation } from '#http/openapi/explanation.ts'

export const englishDetails: Readonly<Record<DetailCode, Explanation>> = {
  NotNull: { means: 'A required field has no value.', why: 'It is missing or null.', cure: 'Send a value.' },
  NotEmpty: {
    means: 'A parameter was given without a value.',
    why: 'It is empty.',
    cure: 'Send a value, or omit the parameter.',
  },
  Null: {
    means: 'The field may not be changed here.',
    why: 'It differs from the value that the service shows.',
    cure: 'Omit it, or send it exactly as it was read. A credential is changed at its own address.',
  },
  Size: {
    means: 'A string is too short or too long.',
    why: 'Length is counted in Unicode code points: one code point is one character.',
    cure: 'Keep within the limits given in the message.',
  },
  Min: {
    means: 'A number is too small.',
    why: 'It is below the minimum.',
    cure: 'Send at least the minimum given in the message.',
  },
  Pattern: {
    means: 'A value is not allowed.',
    why: 'It is an unknown name, a cursor from another list, a page number that is too large, an unsupported type of body, a Host that no URL could contain, or a string with control characters that XML cannot represent.',
    cure: 'Use a value that the message or the reference allows, without control characters.',
  },
  Past: {
    means: 'A date must be in the past.',
    why: 'It is today or later, in the time zone of the service.',
    cure: 'Send a date before today.',
  },
  Email: {
    means: 'A value is not an e-mail address.',
    why: 'It has no @, or the part before or after it is malformed.',
    cure: 'Send an address such as `john@example.com`.',
  },
  ExistInCodeList: {
    means: 'A code is not in its code list.',
    why: 'Codes are strings and are compared exactly.',
    cure: 'Use one of the codes that the reference names.',
  },
  Once: {
    means: 'A parameter or a header field was given more than once.',
    why: 'It takes only one value.',
    cure: 'Give it once.',
  },
  Unknown: {
    means: 'A parameter is not known.',
    why: 'The request asked for unknown parameters to be refused (`Prefer: handling=strict`), or the parameter filters by a field that members may not see in other members.',
    cure: 'Check its spelling, omit the preference, or ask an administrator.',
  },
  TypeMismatch: {
    means: 'A parameter has the wrong type.',
    why: 'A number, a date or a boolean was expected.',
    cure: 'Send a value of the type given in the message.',
  },
  ChangedMeanwhile: {
    means: 'The named resource was changed or locked by another request at the same time.',
    why: 'Both requests started from the same version, or the other one had the resource locked.',
    cure: 'Read the resource again, and repeat your change if it is still needed.',
  },
  KeyInUse: {
    means: 'The first request with this idempotency key has not been answered yet.',
    why: 'The request was repeated before the response arrived.',
    cure: 'Wait as long as `Retry-After` says, then send it again with the same key.',
  },
  UnknownField: {
    means: 'The body has an unknown field.',
    why: 'Its name is misspelt, or it belongs elsewhere.',
    cure: 'Remove it, or correct its name.',
  },
  WrongType: {
    means: 'A field has the wrong type.',
    why: 'Values are never converted: `"1"` is a string, `1` is a number.',
    cure: 'Send a value of the type given in the message.',
  },
  EmptyBody: {
    means: 'The body is empty.',
    why: 'The request needs a body, and none was sent.',
    cure: 'Send a body.',
  },
  NotAnObject: {
    means: 'The body is not an object.',
    why: 'It is a list, a string, a number or null.',
    cure: 'Send an object: `{ … }`.',
  },
  Syntax: {
    means: 'The body is malformed.',
    why: 'A character occurs where it is not allowed.',
    cure: 'Look at the line and column given in the message.',
  },
  TrailingData: {
    means: 'There is text after the end of the body.',
    why: 'Two documents were sent, or there is an extra bracket.',
    cure: 'End the body where its value ends.',
  },
  DuplicateName: {
    means: 'A name occurs twice in one object.',
    why: 'The service does not guess which of the two is meant.',
    cure: 'Use each name once.',
  },
  TooDeep: {
    means: 'The body is nested too deeply.',
    why: 'No resource needs so many levels.',
    cure: 'Send data with fewer levels.',
  },
  TooMany: {
    means: 'The body has too many values.',
    why: 'No resource has so many fields.',
    cure: 'Send only the fields of the resource.',
  },
  TooLong: {
    means: 'The XML body has too many characters.',
    why: 'No resource is so long, and reading it would delay other requests.',
    cure: 'Send only the fields of the resource.',
  },
  NullCharacter: {
    means: 'The body contains a NUL character.',
    why: 'No string may contain it.',
    cure: 'Remove it.',
  },
  LoneSurrogate: {
    means: 'The body contains half a character.',
    why: 'It has a surrogate without its other half, often because an emoji was cut in two.',
    cure: 'Cut strings only between characters.',
  },
  NumberRange: {
    means: 'A number is out of range.',
    why: 'It exceeds the range of a double-precision number, about ±1.8 × 10³⁰⁸.',
    cure: 'Send a smaller number.',
  },
  Encoding: {
    means: 'The bytes of the body are not in the expected encoding.',
    why: 'They are not valid UTF-8, or the XML declaration names another encoding.',
    cure: 'Encode the body as UTF-8. The message gives the line and column of the first invalid byte.',
  },
  Compression: {
    means: 'The body cannot be decompressed.',
    why: '`Content-Encoding` says gzip, but the bytes are not valid gzip.',
    cure: 'Compress the body with gzip, or send it uncompressed and without `Content-Encoding`.',
  },
  Missing: {
    means: 'A header field is missing.',
    why: 'HTTP/1.1 requires it in every request.',
    cure: 'Send it. HTTP libraries do so by themselves.',
  },
  Chunk: {
    means: 'The body is not divided into chunks as HTTP requires.',
    why: '`Transfer-Encoding: chunked` was sent, but a size is not a hexadecimal number, differs from the length of its chunk, or does not stand on a line of its own.',
    cure: 'Let an HTTP library write the chunks, or send `Content-Length` instead.',
  },
  Unencoded: {
    means: 'The path or the query contains a character that is not allowed in a URL.',
    why: 'Spaces, non-ASCII letters, `"`, `<`, `>` and `#` must be percent-encoded.',
    cure: 'Encode each value, for example with `encodeURIComponent` or `curl --get --data-urlencode`.',
  },
  Doctype: {
    means: 'The XML has a document type declaration.',
    why: 'Document types are never read, because they can be harmful.',
    cure: 'Remove the `<!DOCTYPE …>`.',
  },
  ProcessingInstruction: {
    means: 'The XML has a processing instruction.',
    why: 'The service follows none.',
    cure: 'Remove the `<?…?>`. The XML declaration at the beginning may stay.',
  },
  Attribute: {
    means: 'The XML has an attribute that is not allowed.',
    why: 'Only `xsi:nil` has a meaning.',
    cure: 'Send values as elements.',
  },
  Entity: {
    means: 'The XML has an unknown entity reference.',
    why: 'Only the five predefined entities of XML and numeric character references are known.',
    cure: 'Write the character itself.',
  },
  MixedContent: {
    means: 'The XML has text next to elements.',
    why: 'An element may contain either text or elements.',
    cure: 'Remove the text.',
  },
  WrongRoot: {
    means: 'The XML does not have the expected root element.',
    why: 'The root element belongs to another resource.',
    cure: 'Use the root element given in the message.',
  },
}
