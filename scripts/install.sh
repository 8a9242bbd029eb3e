#!/bin/sh
# Installs or removes the program. usage: see the Makefile, which sets INSTALL, PROGRAM, PLUGIN and the folders
#   install.sh install|uninstall
# DESTDIR stands before every folder.
set -eu
bin=${DESTDIR-}$bindir lib=${DESTDIR-}$libdir/cdmpp data=${DESTDIR-}$datadir/cdmpp man=${DESTDIR-}$mandir

put() { # FOLDER FILE...: the files that are there
    folder=$1
    shift
    for file in "$@"; do
        if [ -f "$file" ]; then
            $INSTALL -d "$folder"
            $INSTALL -m 644 "$file" "$folder/"
            echo "  INSTALL $folder/$(basename "$file")"
        fi
    done
}

case $1 in
install)
    $INSTALL -d "$bin"
    $INSTALL "$PROGRAM" "$bin/cdmpp"
    echo "  INSTALL $bin/cdmpp"
    put "$lib" "$PLUGIN"
    put "$data/devices" data/devices/*.yaml
    put "$data/pretrained" models/pretrained/*
    put "$man/man1" man/*.1
    put "$man/man5" man/*.5
    ;;
uninstall)
    rm -f "$bin/cdmpp"
    rm -rf "$lib" "$data"
    for page in man/*.[15]; do
        rm -f "$man/man${page##*.}/$(basename "$page")"
    done
    ;;
esac
