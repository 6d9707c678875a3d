/** Texts that people put into a workspace beside the entries, such as `directives/memory.md`: which names they may have. */
const DOCUMENT_NAME = /^[a-z0-9-]+(\/[a-z0-9-]+)*(\.[a-z]+)*\.md$/

export function isDocumentName(name: string): boolean {
  return DOCUMENT_NAME.test(name)
}
