/** These tools answer with JSON; the text is the same. */
import { neutralJson } from '../../prompt/neutral.ts'
import type { ToolResult } from '../tool.ts'

export function jsonResult(structured: ToolResult['structured']): ToolResult {
  const shown = neutralJson(structured)
  return { text: JSON.stringify(shown), structured: shown }
}
