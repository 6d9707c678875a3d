/**
 * The scripts that `keepsake completion` prints. Each hands the words up to the cursor to `keepsake __complete` and shows
 * what it answers: a line a candidate, behind a tab what it is. Where that is nothing, file names are completed.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

// Bash splits words at "=" and ":" too: they are put together again where no blank lies between, and only the last part is
// completed. Words come as they were typed, with quotes and backslashes; what goes back in unquoted gets backslashes again.
const BASH = `# bash completion for keepsake. To load it: source <(keepsake completion bash)
_keepsake_unquoted() {
  case $1 in
    \\"*) REPLY=\${1#\\"} REPLY=\${REPLY%\\"} ;;
    \\'*) REPLY=\${1#\\'} REPLY=\${REPLY%\\'} ;;
    *) REPLY=\${1//\\\\/} ;;
  esac
}
_keepsake() {
  local rest=$COMP_LINE last=\${COMP_WORDS[COMP_CWORD]} words=() index word REPLY
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if ((index > 0)) && [[ $rest != [[:space:]]* ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=("$word")
    fi
    rest=\${rest#"$word"}
  done

  local typed=\${words[\${#words[@]} - 1]} before asked=() candidate
  [[ $last == [=:] ]] && last=
  _keepsake_unquoted "\${typed%"$last"}"
  before=$REPLY
  for word in "\${words[@]:1}"; do
    _keepsake_unquoted "$word"
    asked+=("$REPLY")
  done

  COMPREPLY=()
  while IFS=$'\\t' read -r candidate _; do
    candidate=\${candidate#"$before"}
    case $typed in
      \\"*)
        candidate=\${candidate//\\\\/\\\\\\\\} candidate=\${candidate//\\"/\\\\\\"}
        candidate=\${candidate//\\$/\\\\\\$} candidate=\${candidate//\\\`/\\\\\\\`}
        ;;
      \\'*) candidate=\${candidate//\\'/\\'\\\\\\'\\'} ;;
      *) printf -v candidate %q "$candidate" ;;
    esac
    COMPREPLY+=("$candidate")
  done < <("\${words[0]}" __complete -- "\${asked[@]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _keepsake keepsake`

const ZSH = `#compdef keepsake
# zsh completion for keepsake. To load it: source <(keepsake completion zsh)
_keepsake() {
  local line about candidates=() asked=("\${(@Q)words[2,CURRENT - 1]}" "\${(Q)PREFIX}")
  for line in "\${(@f)$(command \${(Q)words[1]} __complete -- "\${asked[@]}" 2>/dev/null)}"; do
    about=
    [[ $line == *$'\\t'* ]] && about=:\${line#*$'\\t'}
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}$about")
  done
  if ((\${#candidates})); then
    _describe -V keepsake candidates -M 'm:{a-zA-Z}={A-Za-z}'
  else
    _files
  fi
}
(($+functions[compdef])) || { autoload -Uz compinit && compinit; }
compdef _keepsake keepsake`

const FISH = `# fish completion for keepsake. To load it: keepsake completion fish | source
function __keepsake_complete
  set -l typed (commandline -ct)
  set -l word (string unescape -- $typed)
  or set word (string trim --left --chars '\\'"' -- $typed)
  set -l before (commandline -opc)
  set -l candidates (command $before[1] __complete -- $before[2..-1] "$word" 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path $typed
  end
end
complete -c keepsake -f -k -a '(__keepsake_complete)'`

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
