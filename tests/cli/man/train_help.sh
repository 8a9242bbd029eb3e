# --help tells the default of each number, whatever stands before it.
cdmpp train --help >help
cdmpp train --epochs 3 --rate 1 --help | diff help -
tr -s ' \n' ' ' <help | grep -o 'default: [0-9]' | wc -l
