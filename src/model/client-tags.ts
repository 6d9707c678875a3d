/**
 * The tags between which agent programs write their own words into a conversation. What stands between them is not what a person
 * said; and no memory may pretend to be it.
 */

/** None of them is a word that people write at the beginning of a line. */
export const CLIENT_TAGS = [
  'system-reminder',
  'task-notification',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  'command-message',
  'user-prompt-submit-hook',
  'ide_opened_file',
  'ide_selection',
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'skills_instructions',
  'apps_instructions',
  'collaboration_mode',
  'recommended_plugins',
  'codex_internal_context',
  'in-app-browser-context',
  'model_switch',
  'turn_aborted',
  'subagent_notification',
  'user_shell_command',
  'hook_prompt',
  'session_context',
  'hook_context',
  'state_snapshot',
] as const

/** Tags around what a person typed: a command and its parts, a line for a shell, a file of theirs. */
export const TAGS_OF_WHAT_WAS_TYPED = [
  'command-name',
  'command-args',
  'command-contents',
  'bash-input',
  'instructions',
] as const
