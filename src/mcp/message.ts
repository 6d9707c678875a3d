/** What a message of the protocol says about a call: that it is cancelled, answered, or taken on for as long as it lasts. */
import {
  isJSONRPCNotification,
  type JSONRPCMessage,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server'

export function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined
  const id = message.params?.['requestId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** A subscription is answered when it ends; that it was taken on is all there is to wait for. */
export function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message)) return message.id
  return acknowledgedBy(message)?.id
}

/** Which subscription the SDK takes on by this message, and to what. */
export function acknowledgedBy(
  message: JSONRPCMessage,
): { readonly id: RequestId; readonly notifications: unknown } | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/subscriptions/acknowledged') return undefined
  const { _meta, notifications } = message.params ?? {}
  const id = _meta?.[SUBSCRIPTION_ID_META_KEY]
  return typeof id === 'string' || typeof id === 'number' ? { id, notifications } : undefined
}
