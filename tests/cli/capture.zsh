# What zsh offers after the words in $1, with the completion script $2: one match a line.
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PROMPT=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -D -u; source $2"
zpty -w inner '
offered() {
    compadd() {
        if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
        local -a hits
        builtin compadd -A hits "$@"
        print -rl -- "MATCH:"$^hits
        builtin compadd "$@"
    }
    _main_complete
    print -r -- ALL-TOLD
}
zle -C offered complete-word offered
bindkey "^I" offered
print READY'
local line
while zpty -r inner line; do [[ $line == READY* ]] && break; done
zpty -n -w inner "$1"$'\t'
while zpty -r inner line; do
    [[ $line == *ALL-TOLD* ]] && break
    [[ $line == *MATCH:* ]] && print -r -- ${line##*MATCH:}
done
zpty -d inner
