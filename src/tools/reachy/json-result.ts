/** These tools answer with JSON; the text is the same. */
import type { ToolResult } from '../tool.ts'

export function jsonResult(structured: ToolResult['structured']): ToolResult {
  return { text: JSON.stringify(structured), structured }
}
