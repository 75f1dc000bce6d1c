bankshot view --eval st.b32 t/4*4 --set winner=lowest --mask ff00ffff
