/** What fails outside a tool is an error of the protocol; the hint goes with it, for a person may get to see it. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isKeepsakeError } from '../errors.ts'
import { neutral } from '../prompt/neutral.ts'

/** Runs what reads the memory for the protocol. Other errors, and those of the protocol itself, pass. */
export async function forProtocol<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const { code, message, hint } = error
    throw new ProtocolError(ProtocolErrorCode.InternalError, neutral([message, hint].filter(Boolean).join('\n')), {
      code,
    })
  }
}
